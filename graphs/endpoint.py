"""Where a model is served, and the key it is spoken to with."""

import ipaddress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from pydantic import SecretStr


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The address of an OpenAI-compatible server. Neither `repr` nor an error shows the key."""

    model: str
    """The name people choose the model by."""
    base_url: str
    key: SecretStr | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Refuse what cannot be used.

        Raises:
            ValueError: if the address is no http address or the key cannot be sent in a header.
        """
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"base_url must be an http or https address, got {self.base_url!r}")
        secret = self._secret
        if self.key is not None and not secret:
            raise ValueError(f"the key of model {self.model!r} is empty; give it one, or none")
        if not all("!" <= letter <= "~" for letter in secret):
            raise ValueError(
                f"the key of model {self.model!r} holds a blank, a line end or another character "
                "that a key cannot have; copy it again into its environment variable"
            )

    @property
    def loopback(self) -> bool:
        """Whether the server is on this machine, where no proxy belongs in between."""
        host = urlsplit(self.base_url).hostname or ""
        if host == "localhost" or host.endswith(".localhost"):
            return True
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return False

    def beside(self, path: str) -> str:
        """The address of what the server offers beside the OpenAI API, such as `tokenize`."""
        return f"{self.base_url.rstrip('/').removesuffix('/v1')}/{path}"

    @property
    def authorization(self) -> str | None:
        """The header that carries the key; null without one."""
        return f"Bearer {self._secret}" if self._secret else None

    def redacted(self, text: str) -> str:
        """`text` with the key in it covered."""
        return text.replace(self._secret, "[key]") if self._secret else text

    @property
    def _secret(self) -> str:
        return self.key.get_secret_value() if self.key else ""
