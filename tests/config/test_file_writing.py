"""What a verb writes is there as a whole or not at all, and never through links."""

import ast
import os
import resource
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path, PurePath

import pytest

from hil.config.files import make_folder, replacing_text, write_new, write_whole
from hil.config.installation import HOME, PACKAGES

OWN = {
    "hil/campaign/worker.py": "a pipe, not a file",
    "hil/config/files.py": "the writer itself",
    "hil/diagram/run/taps.py": "a file of the bench's own folder, made for one run",
    "hil/desk/velocity/remote_writer.py": "a token in a folder of its own",
    "hil/stations/platform/gate/black_box.py": "a record that grows while the gate is alone",
    "hil/stations/simulator/listening/ride_writer.py": "a ride that grows while it is recorded",
    "hil/run/part_process.py": "in the new folder of a run",
    "hil/panel/scenarios/models/catalogue.py": "a draft beside, which then takes the place",
    "hil/fmu/shared_library.py": "what a compiler is given, in a folder of its own",
    "hil/fmu/model.py": "what a model logs, in a folder of its own",
    "hil/fmu/process.py": "a copy in a folder of its own",
    "hil/ipc/memory.py": "memory, not a file",
    "hil/report/style.py": "memory, not a file",
    "sim/world/pictures/__main__.py": "a pipe, not a file",
    "hil/desk/endpoints.py": "a token in the bench's own folder, which takes its place whole",
    "hil/stations/platform/report/sample_figures.py": "into what the common writer opened",
    "sim/world/pictures/video.py": "a film in a part beside, which then takes the place",
}
"""Who else writes files, and why it may."""


def writes(source):
    """Whether a text opens a file to write it, otherwise than by the common writer."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        words = [each.value for each in (*node.args, *(one.value for one in node.keywords))
                 if isinstance(each, ast.Constant) and isinstance(each.value, str)]  # fmt: skip
        if isinstance(node.func, ast.Attribute) and name in (
            "write_text",
            "write_bytes",
            "savefig",
            "savetxt",
        ):
            return True
        if name in ("open", "fdopen") and any(
            set(one) & set("wax+") for one in words if one in MODES
        ):
            return True
    return False


MODES = {f"{one}{two}" for one in "wax" for two in ("", "b", "t", "+", "b+", "+b")}
MODES |= {"r+", "r+b", "rb+"}


def test_nobody_but_the_common_writer_writes_files():
    found = {
        str(file.relative_to(HOME))
        for package in PACKAGES
        for file in (HOME / package).rglob("*.py")
        if writes(file.read_text(encoding="utf-8"))
    }
    assert sorted(found) == sorted(OWN)


@pytest.mark.parametrize(
    "source",
    ["p.write_text('')", "p.write_bytes(b'')", "open('a', 'w')", "p.open('xb')", "p.open(mode='a')",
     "os.fdopen(3, 'wb')", "figure.savefig('a')"],
)  # fmt: skip
def test_every_way_to_write_would_be_found(source):
    assert writes(source)


@contextmanager
def full_disk(most_bytes=1000):
    """Files can be no longer than this, and writing more fails as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def text(path, data):
    with replacing_text(path) as file:
        file.write(data.decode())


@pytest.mark.parametrize("write", [write_whole, text])
def test_what_was_there_stays_if_the_disk_is_full(tmp_path, write):
    path = tmp_path / "picture.svg"
    write(path, b"before")
    with full_disk(), pytest.raises(OSError, match="File too large"):
        write(path, bytes(100_000))
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]
    write(path, b"after")
    assert path.read_bytes() == b"after"


def test_a_new_file_is_whole_or_not_there(tmp_path):
    path = tmp_path / "type.toml"
    with full_disk(), pytest.raises(OSError, match="File too large"):
        write_new(path, bytes(100_000))
    assert not path.exists()
    write_new(path, b"one")
    with pytest.raises(FileExistsError):
        write_new(path, b"two")
    assert path.read_bytes() == b"one"


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "link to a pipe"])
def test_what_is_no_file_is_not_replaced(tmp_path, kind):
    path = tmp_path / "place"
    if kind == "folder":
        path.mkdir()
    elif kind == "device":
        path.symlink_to("/dev/null")
    else:
        os.mkfifo(pipe := tmp_path / "pipe")
        path = pipe if kind == "pipe" else path
        if kind != "pipe":
            path.symlink_to(pipe)
    before = path.lstat()
    with pytest.raises(OSError, match=r"is a (pipe|device|folder); a regular file is needed"):
        write_whole(path, b"x")
    assert path.lstat().st_ino == before.st_ino


def test_a_folder_is_not_made_through_a_link(tmp_path):
    other, top = tmp_path / "other", tmp_path / "top"
    other.mkdir()
    top.mkdir()
    (top / "pictures").symlink_to(other)
    with pytest.raises(OSError, match="is a link"):
        make_folder(top, PurePath("pictures"))
    with pytest.raises(OSError, match="is a link"):
        make_folder(top, PurePath("pictures/within"))
    assert not list(other.iterdir())
    assert make_folder(top, PurePath("a/b")).is_dir()
    chosen = tmp_path / "chosen"
    chosen.symlink_to(other)
    assert make_folder(chosen, PurePath("pictures")) == chosen / "pictures"


def test_a_verb_whose_disk_is_full_says_so_and_leaves_the_picture(tmp_path):
    picture = tmp_path / "law.svg"
    picture.write_text("before")
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000));"
        "from hil.cli.main import main; import sys;"
        f"sys.argv = ['hil', 'diagram', 'draw', 'heave', '--out', {str(picture)!r}]; main()"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False
    )
    assert (done.returncode, picture.read_text()) == (2, "before")
    assert done.stderr.startswith(f"error: --out: {picture}: File too large")
    assert list(tmp_path.iterdir()) == [Path(picture)]
