"""The models people can choose by name: the operator's endpoints and the embedded one."""

from collections.abc import Mapping, Sequence
from threading import Lock

from pydantic import SecretStr

from graphs.chat_model import ChatModel, ModelError, OpenAIChat
from graphs.embedded import NAME as EMBEDDED
from graphs.pip_download import Announce
from sandbox.model_loader import Load, ModelLoader, embedded
from sandbox.model_loader import ModelNotReady as ModelNotReady
from sandbox.model_loader import ModelState as ModelState
from sandbox.models_file import ModelsError as ModelsError
from sandbox.models_file import ModelSpec as ModelSpec
from sandbox.models_file import read_models_toml as read_models_toml
from sandbox.settings import Settings

WAIT_SECONDS = 90.0
"""How long a call waits for the embedded model to be ready."""


class UnknownModel(Exception):
    """There is no model of that name; the message lists those there are."""


class Models:
    """Every model by name. Endpoints are made at first use; the embedded one loads behind."""

    def __init__(
        self,
        specs: Sequence[ModelSpec] = (),
        environment: Mapping[str, str] | None = None,
        load: Load | None = None,
        *,
        ready: Sequence[ChatModel] = (),
        wait: float = WAIT_SECONDS,
        announce: Announce | None = None,
    ) -> None:
        """Start nothing yet.

        Args:
            specs: the endpoints; the first is the default.
            environment: where their keys are looked up.
            load: loads the embedded model; null means there is none.
            ready: models that are there already, ahead of all others.
            wait: seconds that `get` waits for the embedded model.
            announce: is told how the embedded model's loading goes; null means the log.
        """
        self._specs = {spec.name: spec for spec in specs}
        self._environment = environment or {}
        self._made = {model.name: model for model in ready}
        self._lock = Lock()
        self._wait = wait
        self._loader = ModelLoader(load, announce) if load else None
        self._names = tuple(
            dict.fromkeys([*self._made, *self._specs, *([EMBEDDED] if load else [])])
        )

    @classmethod
    def from_settings(cls, settings: Settings, environment: Mapping[str, str]) -> "Models":
        """The models that the settings name.

        Raises:
            ModelsError: if the models file cannot be used.
        """
        specs = read_models_toml(settings.models) if settings.models else ()
        load = embedded(settings.models_dir, settings.gguf, settings.offline)
        return cls(specs, environment, load)

    def names(self) -> tuple[str, ...]:
        """The names to choose from, the default first."""
        return self._names

    @property
    def default(self) -> str:
        """The model used where none is chosen: the first endpoint, else the embedded one."""
        return self._names[0] if self._names else EMBEDDED

    @property
    def state(self) -> ModelState:
        """How the embedded model stands, where it is the default or was asked for."""
        if self._loader and (self.default == EMBEDDED or self._loader.state.status != "waiting"):
            return self._loader.state
        return ModelState("ready")

    def spec(self, name: str) -> ModelSpec | None:
        """The endpoint of that name, with its prices; null for other models."""
        return self._specs.get(name)

    def start(self) -> None:
        """Load the embedded model behind where it is the default, again if it failed."""
        if self._loader and self.default == EMBEDDED:
            self._loader.start()

    def get(self, name: str | None = None) -> ChatModel:
        """The model of that name, or the default one; waits while the embedded one loads.

        Raises:
            UnknownModel: if there is none.
            ModelNotReady: if its key is missing, or the embedded model failed or takes too long.
        """
        name = name or self.default
        if name == EMBEDDED and self._loader:
            return self._loader.get(self._wait)
        with self._lock:
            if name not in self._made:
                if name not in self._specs:
                    there = ", ".join(self._names) or "none"
                    raise UnknownModel(f"There is no model {name[:80]!r}; choose one of: {there}.")
                self._made[name] = self._endpoint(self._specs[name])
            return self._made[name]

    def close(self) -> None:
        """Stop the embedded model, also while it is loading; safe to call twice."""
        if self._loader:
            self._loader.close()

    def _endpoint(self, spec: ModelSpec) -> ChatModel:
        key = None
        if spec.key_env is not None:
            key = SecretStr(self._environment.get(spec.key_env, ""))
            if not key:
                raise ModelNotReady(
                    f"Model {spec.name!r} needs a key in the environment variable {spec.key_env}, "
                    "which is not set; set it and start again, or choose another model."
                )
        try:
            return OpenAIChat(
                spec.name,
                spec.model,
                spec.base_url,
                key,
                spec.context_tokens,
                spec.deadline_seconds,
                spec.llama_cpp,
            )
        except (ModelError, ValueError) as error:
            sentence = f"Model {spec.name!r} cannot be used: {error}"
        raise ModelNotReady(f"{sentence.rstrip('.')}.")
