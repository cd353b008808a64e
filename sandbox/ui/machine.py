"""How things stand with what runs behind the page, for the banner."""

from graphs.embedded import NAME as EMBEDDED
from memory_banks.index import IndexState
from sandbox.assemble import Sandbox
from sandbox.ui.views import Machine, Part, Readiness

EMBEDDED_WORDS = "shows the machinery, not quality"
PACKAGED_MODEL = "SmolLM2-135M-Instruct, embedded"
PACKAGED_EMBEDDER = "MiniLM"
MODEL_STATES: dict[str, Readiness] = {
    "waiting": "loading",
    "loading": "loading",
    "ready": "ready",
    "failed": "failed",
}
INDEX_STATES: dict[str, Readiness] = {
    "starting": "loading",
    "rebuilding": "loading",
    "ready": "ready",
    "off": "failed",
}


def machine(sandbox: Sandbox) -> Machine:
    """What the banner tells now."""
    return Machine(
        parts=(
            *_models(sandbox),
            _embedder(sandbox),
            index_part(sandbox.index.state, sandbox.embedder.state),
        ),
        folder=str(sandbox.settings.data_dir),
        network=_network(sandbox),
        warnings=(*(str(error) for error in sandbox.library.broken()), *sandbox.index.notices),
    )


def _models(sandbox: Sandbox) -> list[Part]:
    """The default model; the embedded one too where somebody asked for it."""
    models, default = sandbox.models, sandbox.models.default
    if default == EMBEDDED:
        return [_embedded(sandbox)]
    state = models.state.status
    return [Part("model", default, "ready"), *([] if state == "ready" else [_embedded(sandbox)])]


def _embedded(sandbox: Sandbox) -> Part:
    gguf, state = sandbox.settings.gguf, sandbox.models.state
    name = f"{gguf.name}, embedded" if gguf else PACKAGED_MODEL
    words = [state.sentence, "" if gguf else EMBEDDED_WORDS]
    return Part("model", name, MODEL_STATES[state.status], " ".join(word for word in words if word))


def _embedder(sandbox: Sandbox) -> Part:
    loader = sandbox.embedder
    name = sandbox.settings.embedder or PACKAGED_EMBEDDER
    return Part("embedder", name, loader.state, loader.trouble or "")


def index_part(state: IndexState, embedder: Readiness) -> Part:
    """The index; off is no failure while the embedder that it starts with is loading."""
    readiness = INDEX_STATES[state.kind]
    if state.kind == "off" and embedder == "loading":
        return Part("index", "", "loading", "waits for the embedder")
    sentence = f"{state.done} of {state.total} entries" if state.total else state.sentence
    return Part("index", "", readiness, "" if readiness == "ready" else sentence)


def _network(sandbox: Sandbox) -> str:
    """Which traffic there is: people see the names of endpoints, never addresses."""
    models = sandbox.models
    endpoints = [name for name in models.names() if models.spec(name)]
    if not endpoints:
        return "no network: nothing leaves this machine"
    return f"network: only to the endpoints {', '.join(endpoints)}"
