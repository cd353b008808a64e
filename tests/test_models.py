import threading
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest

from graphs.chat_model import ChatModel, ModelError, Sampling
from graphs.model_file import ModelFileMissing
from graphs.pip_download import Announce
from sandbox.models import (
    ModelNotReady,
    Models,
    ModelsError,
    ModelSpec,
    UnknownModel,
    read_models_toml,
)
from sandbox.settings import Settings
from tests.scripted_model import ScriptedModel
from tests.stub_server import StubServer

LAB = '[[model]]\nname = "lab"\nbase_url = "http://127.0.0.1:8000/v1"\nmodel = "qwen"\n'
CANARY = "sk-CANARY-91"


@pytest.fixture
def toml(tmp_path: Path) -> Callable[[str | bytes], Path]:
    def write(content: str | bytes) -> Path:
        path = tmp_path / "models.toml"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


Toml = Callable[[str | bytes], Path]


# The file


def test_a_table_is_an_endpoint_with_defaults(toml: Toml) -> None:
    [spec] = read_models_toml(toml(LAB))
    assert spec == ModelSpec(name="lab", base_url="http://127.0.0.1:8000/v1", model="qwen")
    assert (spec.context_tokens, spec.deadline_seconds, spec.key_env) == (8192, 120.0, None)


def test_every_field_is_read(toml: Toml) -> None:
    more = 'key_env = "LAB_KEY"\ncontext_tokens = 4096\ndeadline_seconds = 30\nprice_in = 1\n'
    [spec] = read_models_toml(toml(LAB + more + "price_out = 2.5\n"))
    assert (spec.key_env, spec.context_tokens, spec.deadline_seconds) == ("LAB_KEY", 4096, 30.0)
    assert (spec.price_in, spec.price_out) == (1.0, 2.5)


def test_the_order_of_the_file_is_kept(toml: Toml) -> None:
    specs = read_models_toml(toml(LAB.replace("lab", "z") + LAB.replace("lab", "a")))
    assert [spec.name for spec in specs] == ["z", "a"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('name = "a b"', ["name", "'a b'", "letters"]),
        ('name = "embedded"', ["name", "comes with the sandbox"]),
        ('name = ""', ["name"]),
        ('base_url = "ftp://host/v1"', ["base_url", "http or https"]),
        ('base_url = "http:///v1"', ["base_url", "http or https"]),
        ('base_url = "http://host/v1?a=1"', ["base_url", "end with its path"]),
        ('base_url = "http://host:port/v1"', ["base_url"]),
        ('base_url = "http://169.254.169.254/v1"', ["base_url", "link-local"]),
        ('model = ""', ["model"]),
        ("model = 5", ["model", "'5'"]),
        ("context_tokens = 0", ["context_tokens", "'0'"]),
        ("context_tokens = 1.5", ["context_tokens", "'1.5'"]),
        ('deadline_seconds = "soon"', ["deadline_seconds", "'soon'"]),
        ("deadline_seconds = 0", ["deadline_seconds", "'0'"]),
        ("deadline_seconds = nan", ["deadline_seconds", "'nan'"]),
        ("price_in = -1", ["price_in", "'-1'"]),
        ("price_out = inf", ["price_out", "'inf'"]),
    ],
)
def test_a_wrong_value_names_file_table_field_value_and_way_out(
    toml: Toml, line: str, words: list[str]
) -> None:
    field = line.split(" ")[0]
    kept = "\n".join(one for one in LAB.splitlines() if not one.startswith(f"{field} "))
    with pytest.raises(ModelsError) as caught:
        read_models_toml(toml(f"{kept}\n{line}\n"))
    sentence = str(caught.value)
    assert "models.toml, [[model]] 1" in sentence
    assert "; write" in sentence or "; name" in sentence
    assert all(word in sentence for word in words)


def test_the_table_at_fault_is_counted_and_named(toml: Toml) -> None:
    with pytest.raises(ModelsError, match=r"\[\[model\]\] 2 \('two'\), model: field required"):
        read_models_toml(toml(f'{LAB}[[model]]\nname = "two"\nbase_url = "http://h/v1"\n'))


def test_a_name_given_twice_is_refused(toml: Toml) -> None:
    with pytest.raises(ModelsError, match=r"\[\[model\]\] 2 \('lab'\), name: occurs twice"):
        read_models_toml(toml(LAB + LAB))


@pytest.mark.parametrize(
    "line",
    [
        f'key = "{CANARY}"',
        f'key_env = "{CANARY}"',
        'key_env = "gsk_CANARY"',
        f'base_url = "http://user:{CANARY}@host/v1"',
        f'base_url = "{CANARY}"',
        f'key_env = "{CANARY}',
    ],
)
def test_a_key_that_strayed_into_the_file_is_refused_and_not_shown(toml: Toml, line: str) -> None:
    kept = "\n".join(one for one in LAB.splitlines() if not line.startswith(one.split(" ")[0]))
    with pytest.raises(ModelsError) as caught:
        read_models_toml(toml(f"{kept}\n{line}\n"))
    assert "CANARY" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "names no model"),
        ("model = 3", "names no model"),
        ("model = [3]", "valid dictionary"),
        ("[model]\nname = 'x'", "names no model"),
        ("[[models]]\nname = 'x'", "'models', which is none of"),
        ("[[model]", "no TOML file .*line 1"),
        (b"\xff\xfe", "no TOML file .*UTF-8"),
        ("a = " + "[" * 50_000, "no TOML file"),
        ("#" * 1_000_001, "larger than"),
    ],
)
def test_a_file_that_is_none_is_one_sentence(toml: Toml, content: str | bytes, words: str) -> None:
    with pytest.raises(ModelsError, match=words) as caught:
        read_models_toml(toml(content))
    assert "models.toml" in str(caught.value)


def test_a_file_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ModelsError, match=r"nothing\.toml cannot be read.*--models"):
        read_models_toml(tmp_path / "nothing.toml")


# The models


def spec(
    name: str = "lab", base_url: str = "http://127.0.0.1:9/v1", key_env: str | None = None
) -> ModelSpec:
    return ModelSpec(name=name, base_url=base_url, model="stub", key_env=key_env)


class Served:
    """A model server that plays a script."""

    def __init__(self) -> None:
        self.closed = Event()

    def chat(self) -> ChatModel:
        return ScriptedModel("Hello.", name="embedded")

    def close(self) -> None:
        self.closed.set()


class Loading:
    """A load that waits for the test, counts, and may fail."""

    def __init__(self, *failures: Exception, held: bool = False) -> None:
        self.calls = 0
        self.go = Event()
        self.begun = Event()
        self.served = Served()
        self._failures = list(failures)
        if not held:
            self.go.set()

    def __call__(self, announce: Announce, stop: Event) -> Served:
        self.calls += 1
        announce("Fetching it.")
        self.begun.set()
        assert self.go.wait(10)
        if self._failures:
            raise self._failures.pop(0)
        return self.served


def test_the_first_endpoint_is_the_default() -> None:
    models = Models([spec("a"), spec("b")], load=Loading())
    assert models.names() == ("a", "b", "embedded")
    assert models.default == "a"
    assert models.get(None).name == "a"
    assert models.state.status == "ready"


def test_without_an_endpoint_the_embedded_model_is_the_default() -> None:
    models = Models(load=Loading())
    assert (models.names(), models.default) == (("embedded",), "embedded")
    assert models.get().name == "embedded"


def test_a_model_is_made_once() -> None:
    models = Models([spec()], load=Loading())
    assert models.get("lab") is models.get("lab")
    assert models.get("embedded") is models.get("embedded")


def test_models_that_are_there_come_first() -> None:
    ready = ScriptedModel(name="scripted")
    models = Models([spec()], ready=[ready])
    assert models.names() == ("scripted", "lab")
    assert models.get() is ready


@pytest.mark.parametrize("name", ["other", "EMBEDDED", "http://127.0.0.1:1/v1", "x" * 500])
def test_an_unknown_name_lists_those_there_are(name: str) -> None:
    models = Models([spec("a"), spec("b")], load=Loading())
    with pytest.raises(UnknownModel, match="choose one of: a, b, embedded") as caught:
        models.get(name)
    assert len(str(caught.value)) < 200


def test_the_embedded_model_is_unknown_where_there_is_none() -> None:
    with pytest.raises(UnknownModel, match="choose one of: lab"):
        Models([spec()]).get("embedded")


def test_a_key_goes_from_its_variable_to_its_endpoint_only() -> None:
    with StubServer("One.") as one, StubServer("Two.") as two:
        specs = [spec("one", one.base_url, "ONE_KEY"), spec("two", two.base_url)]
        models = Models(specs, {"ONE_KEY": CANARY, "OPENAI_API_KEY": CANARY})
        for name in ("one", "two"):
            list(models.get(name).stream([{"role": "user", "content": "Hi."}], Sampling()))
        assert [one.chats[0].has_key, two.chats[0].has_key] == [True, False]


@pytest.mark.parametrize("environment", [{}, {"LAB_KEY": ""}])
def test_a_missing_key_names_its_variable(environment: dict[str, str]) -> None:
    models = Models([spec(key_env="LAB_KEY"), spec("open")], environment)
    with pytest.raises(ModelNotReady, match="environment variable LAB_KEY, which is not set"):
        models.get("lab")
    assert models.get("open").name == "open"


def test_a_key_that_cannot_be_sent_is_not_shown() -> None:
    with pytest.raises(ModelNotReady, match="line end") as caught:
        Models([spec(key_env="LAB_KEY")], {"LAB_KEY": f"{CANARY}\n"}).get()
    assert "CANARY" not in str(caught.value)
    assert caught.value.__context__ is None


def test_the_embedded_model_loads_behind_and_a_call_waits_for_it() -> None:
    loading = Loading(held=True)
    models = Models(load=loading, wait=10)
    assert models.state.status == "waiting"
    models.start()
    assert loading.begun.wait(10)
    assert (models.state.status, models.state.sentence) == ("loading", "Fetching it.")
    threading.Timer(0.1, loading.go.set).start()
    assert models.get().name == "embedded"
    assert models.state.status == "ready"
    models.start()
    assert loading.calls == 1


def test_a_call_waits_no_longer_than_its_deadline() -> None:
    loading = Loading(held=True)
    models = Models(load=loading, wait=0.1)
    with pytest.raises(ModelNotReady, match=r"not ready after 0\.1 s; wait a moment"):
        models.get()
    loading.go.set()


def test_the_embedded_model_is_not_loaded_beside_an_endpoint_until_it_is_asked_for() -> None:
    loading = Loading()
    models = Models([spec()], load=loading)
    models.start()
    models.get()
    assert loading.calls == 0
    assert models.get("embedded").name == "embedded"
    assert loading.calls == 1


@pytest.mark.parametrize("failure", [ModelFileMissing("Two ways out."), ModelError("Damaged.")])
def test_a_load_that_failed_says_why_and_can_be_started_again(failure: Exception) -> None:
    loading = Loading(failure)
    models = Models(load=loading, wait=10)
    for _ in range(2):
        with pytest.raises(ModelNotReady, match=str(failure)):
            models.get()
    assert (models.state.status, models.state.sentence) == ("failed", str(failure))
    assert loading.calls == 1
    models.start()
    assert models.get().name == "embedded"


def test_many_callers_load_once() -> None:
    loading = Loading(held=True)
    models = Models(load=loading, wait=10)
    found: list[ChatModel] = []
    threads = [threading.Thread(target=lambda: found.append(models.get())) for _ in range(8)]
    for thread in threads:
        thread.start()
    loading.go.set()
    for thread in threads:
        thread.join(10)
    assert len(found) == 8
    assert loading.calls == 1


def test_close_stops_the_embedded_model() -> None:
    loading = Loading()
    models = Models(load=loading, wait=10)
    models.get()
    models.close()
    models.close()
    assert loading.served.closed.is_set()
    with pytest.raises(ModelNotReady, match="stopped"):
        models.get()


def test_close_while_it_loads_leaves_no_server_behind() -> None:
    loading = Loading(held=True)
    models = Models(load=loading, wait=10)
    models.start()
    assert loading.begun.wait(10)
    models.close()
    loading.go.set()
    assert loading.served.closed.wait(10)


def test_settings_without_endpoints_and_file_say_the_two_ways_out(tmp_path: Path) -> None:
    settings = Settings(models=None, models_dir=tmp_path / "models", offline=True)
    with pytest.raises(ModelNotReady, match=r"without --offline.*--gguf"):
        Models.from_settings(settings, {}).get()


def test_settings_name_the_models_file(toml: Toml) -> None:
    models = Models.from_settings(Settings(models=toml(LAB)), {})
    assert models.names() == ("lab", "embedded")
