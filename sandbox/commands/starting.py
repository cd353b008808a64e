"""What every command does first, before anything heavy is imported."""

import logging
import os
from pathlib import Path

from sandbox.settings import Settings, load_settings, offline_environment

_OURS = ("sandbox", "graphs", "memory_banks", "personas")


def begin(level: int = logging.WARNING, **options: object) -> Settings:
    """The settings, with `options` before the environment; libraries are kept from calling home.

    Our own packages log to standard error from `level` on, others from warnings on.

    Raises:
        SettingsError: if a value cannot be used.
    """
    plain = {name: str(to) if isinstance(to, Path) else to for name, to in options.items()}
    settings = load_settings(**plain)
    os.environ.update(offline_environment(settings))
    logging.basicConfig(
        format="%(asctime)s %(levelname)s %(name)s: %(message)s", level=logging.WARNING
    )
    for name in _OURS:
        logging.getLogger(name).setLevel(level)
    return settings
