"""The data folder: one writer, known by name, and one sentence for what cannot be."""

import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.folder import DataFolder, FolderError, FolderInUse, Layout, open_folder

HOLD = """
import sys, time
from pathlib import Path
from sandbox.folder import open_folder
folder = open_folder(Path(sys.argv[1]))
folder.announce("http://127.0.0.1:7860")
print("held", flush=True)
time.sleep(60)
"""


def test_a_new_folder_is_for_its_owner_only(folder: DataFolder) -> None:
    assert stat.S_IMODE(folder.root.stat().st_mode) == 0o700


def test_opening_makes_nothing_but_lock_and_owner(folder: DataFolder) -> None:
    assert sorted(path.name for path in folder.root.iterdir()) == ["lock", "owner.json"]


def test_everything_lies_in_the_folder(folder: DataFolder) -> None:
    layout = Layout(folder.root)
    for path in (layout.record, layout.checkpoints, layout.index, layout.uploads, layout.exports):
        assert path.parent == folder.root
    assert folder.record == layout.record


def test_the_second_is_told_who_holds_it(folder: DataFolder) -> None:
    folder.announce("http://127.0.0.1:7860")
    with pytest.raises(FolderInUse) as caught:
        open_folder(folder.root)
    assert str(caught.value) == (
        f"The data folder {folder.root} is in use by process {os.getpid()} "
        f"(http://127.0.0.1:7860, since {folder.started.replace(microsecond=0)}): "
        "use that one, stop it, or choose another folder with --data-dir."
    )


def test_a_holder_without_an_address_is_still_named(folder: DataFolder) -> None:
    with pytest.raises(FolderInUse, match=rf"process {os.getpid()} \(since "):
        open_folder(folder.root)


@pytest.mark.parametrize("owner", ["", "{", "[]", '{"pid": "x"}', '{"pid": 1, "url": null}'])
def test_an_unreadable_owner_is_another_process(folder: DataFolder, owner: str) -> None:
    (folder.root / "owner.json").write_text(owner)
    with pytest.raises(FolderInUse, match="in use by another process: "):
        open_folder(folder.root)


def test_a_closed_folder_opens_again(folder: DataFolder) -> None:
    folder.close()
    folder.close()
    assert not (folder.root / "owner.json").exists()
    open_folder(folder.root).close()


def test_a_stale_owner_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / "owner.json").write_text(json.dumps({"pid": 1, "url": "x", "started": "y"}))
    (tmp_path / "lock").touch()
    with open_folder(tmp_path) as folder:
        assert json.loads((folder.root / "owner.json").read_text())["pid"] == os.getpid()


@pytest.mark.kill
def test_a_killed_holder_holds_nothing(tmp_path: Path, child_environment: dict[str, str]) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        stdout=subprocess.PIPE,
        env=child_environment,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(FolderInUse, match=rf"process {holder.pid} \(http://127.0.0.1:7860, "):
            open_folder(tmp_path)
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        open_folder(tmp_path).close()


@pytest.mark.parametrize("inside", ["file", "file/data"])
def test_a_file_in_the_way_is_named(tmp_path: Path, inside: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FolderError) as caught:
        open_folder(tmp_path / inside)
    assert str(caught.value) == (
        f"The data folder {tmp_path / inside} cannot be written (a file is in its place): "
        "make it writable or free some space, or choose another folder with --data-dir."
    )
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("root", ["/proc/data", "/dev/null/data"])
def test_a_folder_that_cannot_be_made_is_one_sentence(root: str) -> None:
    with pytest.raises(FolderError, match=f"^The data folder {root} cannot be written") as caught:
        open_folder(Path(root))
    assert "\n" not in str(caught.value)


def test_a_failed_announcement_leaves_the_folder_free(tmp_path: Path) -> None:
    (tmp_path / "owner.json").mkdir()
    with pytest.raises(FolderError, match="is a directory"):
        open_folder(tmp_path)
    (tmp_path / "owner.json").rmdir()
    open_folder(tmp_path).close()
    assert [path.name for path in tmp_path.iterdir()] == ["lock"]
