"""Opening a sandbox to write in its data folder: one process at a time.

Much to load: imported by a command once `begin` has set the environment.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from graphs.embedded import NAME as EMBEDDED
from graphs.model_file import ensure_model_file
from sandbox.assemble import Sandbox, assemble
from sandbox.commands.output import progress
from sandbox.folder import open_folder
from sandbox.models import Models
from sandbox.settings import Settings


def usable_models(settings: Settings) -> Models:
    """The models, of which the default one can be had: it is not forbidden to fetch its file.

    Raises:
        ModelsError: if the models file cannot be used.
        ModelFileMissing: if there is only the embedded model, no file of it, and no fetching.
    """
    models = Models.from_settings(settings, os.environ)
    if settings.offline and settings.gguf is None and models.default == EMBEDDED:
        ensure_model_file(settings.models_dir, offline=True, announce=progress)
    return models


@contextmanager
def open_sandbox(settings: Settings, models: Models | None = None) -> Iterator[Sandbox]:
    """The sandbox on the settings' data folder, closed with the block. Nothing is loaded yet.

    Raises:
        ModelsError: if the models file cannot be used; no folder is made then.
        FolderError: if the folder cannot be used; the message says who holds it.
        RecordError: if the record cannot be used.
    """
    models = models or Models.from_settings(settings, os.environ)
    with open_folder(settings.data_dir) as folder:
        sandbox = assemble(settings, folder, os.environ, models=models)
        try:
            yield sandbox
        finally:
            sandbox.close()
