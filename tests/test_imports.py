"""Who may import whom, what importing may cost, and that tests stay on this machine."""

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

from tests import loopback

ROOT = Path(__file__).parent.parent
PACKAGES = ("memory_banks", "personas", "graphs", "sandbox")
HEAVY = {
    "chromadb",
    "gradio",
    "pandas",
    "plotly",
    "ray",
    "scipy",
    "sentence_transformers",
    "torch",
    "transformers",
    "xllamacpp",
}
"""Loaded by functions, behind the page; gradio only by `sandbox.ui`."""
REPORT = """
import importlib, json, os, sys
before = dict(os.environ)
for name in json.loads(sys.argv[1]):
    importlib.import_module(name)
loaded = {name.partition(".")[0] for name in sys.modules}
print(json.dumps([sorted(loaded), before == dict(os.environ)]))
"""


def modules(*, page: bool) -> list[str]:
    """The names of our modules, those of the page or all others."""
    files = [
        *ROOT.glob("app.py"),
        *(file for name in PACKAGES for file in ROOT.glob(f"{name}/**/*.py")),
    ]
    parts = [file.relative_to(ROOT).with_suffix("").parts for file in sorted(files)]
    names = [".".join(name for name in part if name != "__init__") for part in parts]
    return [name for name in names if name.startswith("sandbox.ui.") == page]


def imported(names: list[str], environment: dict[str, str], folder: Path) -> tuple[set[str], bool]:
    """What importing `names` loads, and whether it left the environment alone."""
    command = [sys.executable, "-W", "error", "-c", REPORT, json.dumps(names)]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    loaded, untouched = json.loads(done.stdout)
    return set(loaded), untouched


def test_every_package_has_modules() -> None:
    assert {name.partition(".")[0] for name in modules(page=False)} >= set(PACKAGES)
    assert "sandbox.ui.server" in modules(page=True)
    assert "sandbox.ui.server" not in modules(page=False)


def test_the_import_contracts_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert lint_imports(no_cache=True) == 0


def test_importing_loads_nothing_heavy_and_makes_nothing(
    child_environment: dict[str, str], tmp_path: Path
) -> None:
    loaded, untouched = imported(modules(page=False), child_environment, tmp_path)
    assert loaded & HEAVY == set()
    assert untouched
    assert list(tmp_path.iterdir()) == []


def test_importing_the_page_loads_no_model_and_no_index(
    child_environment: dict[str, str], tmp_path: Path
) -> None:
    loaded, untouched = imported(modules(page=True), child_environment, tmp_path)
    assert loaded & HEAVY <= {"gradio", "pandas"}
    assert untouched
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("2001:db8::1", 80)])
def test_no_test_leaves_the_machine(address: tuple[str, int]) -> None:
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    with socket.socket(family) as tcp, socket.socket(family, socket.SOCK_DGRAM) as udp:
        for attempt in (tcp.connect, tcp.connect_ex, lambda to: udp.sendto(b"x", to)):
            with pytest.raises(loopback.LeftTheMachine):
                attempt(address)
    with pytest.raises(loopback.LeftTheMachine):
        socket.create_connection(("example.org", 80))


def test_no_child_of_a_test_leaves_the_machine(child_environment: dict[str, str]) -> None:
    code = "import socket; socket.create_connection(('192.0.2.1', 80), timeout=1)"
    done = subprocess.run(
        [sys.executable, "-c", code], env=child_environment, capture_output=True, text=True
    )
    assert "LeftTheMachine" in done.stderr
