"""Settings: options over environment over defaults, and one sentence for what cannot be."""

import os
from pathlib import Path

import pytest

from sandbox.settings import SettingsError, load_settings, offline_environment


@pytest.fixture(autouse=True)
def _empty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No settings in the environment and nothing in the working directory."""
    for name in [name for name in os.environ if name.startswith("SANDBOX_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def test_defaults_are_private_and_local(tmp_path: Path) -> None:
    settings = load_settings()
    assert (settings.host, settings.port) == ("127.0.0.1", 7860)
    assert settings.data_dir == tmp_path / "data"
    assert settings.models is None
    assert settings.models_dir.name == "strategic-memory-sandbox"
    assert list(tmp_path.iterdir()) == []


def test_models_file_beside_the_program_is_found(tmp_path: Path) -> None:
    (tmp_path / "models.toml").touch()
    assert load_settings().models == tmp_path / "models.toml"


def test_an_option_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SANDBOX_PORT", "9000")
    assert load_settings(port=None).port == 9000
    assert load_settings(port=9001).port == 9001


def test_an_empty_variable_is_no_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SANDBOX_PORT", "")
    assert load_settings().port == 7860


def test_paths_are_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", "/home/walid")
    assert load_settings(data_dir="here").data_dir == tmp_path / "here"
    assert load_settings(data_dir="~/data").data_dir == Path("/home/walid/data")


def test_a_fault_names_variable_value_and_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SANDBOX_PORT", "70000")
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert str(caught.value) == (
        "SANDBOX_PORT cannot be '70000': input should be less than or equal to 65535; "
        "correct it or leave it out."
    )


@pytest.mark.parametrize(
    ("name", "value", "option"),
    [
        ("port", "http", "--port"),
        ("port", -1, "--port"),
        ("host", "", "--host"),
        ("models", "missing.toml", "--models"),
        ("gguf", "missing.gguf", "--gguf"),
        ("offline", "perhaps", "--offline"),
        ("data_dir", 7, "--data-dir"),
    ],
)
def test_a_fault_of_an_option_names_the_option(name: str, value: object, option: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(**{name: value})
    assert str(caught.value).startswith(f"{option} cannot be ")
    assert "\n" not in str(caught.value)


def test_the_database_url_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SANDBOX_DATABASE_URL", "postgresql://lab:hunter2@db/lab")
    settings = load_settings()
    assert "hunter2" not in f"{settings!r} {settings}"
    assert settings.database_url is not None
    assert settings.database_url.get_secret_value().endswith("hunter2@db/lab")


def test_settings_cannot_change() -> None:
    with pytest.raises(ValueError, match="frozen"):
        load_settings().port = 1  # type: ignore[misc]


def test_the_offline_environment_reaches_the_hub_only_for_a_named_model(tmp_path: Path) -> None:
    def hub_is_off(**given: object) -> bool:
        return offline_environment(load_settings(**given))["HF_HUB_OFFLINE"] == "1"

    assert hub_is_off()
    assert hub_is_off(embedder=str(tmp_path))
    assert not hub_is_off(embedder="someone/model")
    assert hub_is_off(embedder="someone/model", offline=True)


def test_loopback_needs_no_proxy_and_other_exceptions_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_PROXY", "lab.example, localhost")
    found = offline_environment()["NO_PROXY"]
    assert found == "lab.example,localhost,127.0.0.1,::1"
    monkeypatch.setenv("NO_PROXY", found)
    assert offline_environment()["NO_PROXY"] == found


def test_uploads_go_to_the_data_folder(tmp_path: Path) -> None:
    found = offline_environment(load_settings())
    assert found["GRADIO_TEMP_DIR"] == str(tmp_path / "data" / "uploads")
