"""An error that nobody foresaw ends in a sentence and a status of its own; its details are kept."""

import errno
import json
import os
import stat
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from hil.terminal.console import Exit, Json, verb
from hil.terminal.fault import KEPT, faults_dir

RAISED: list[BaseException] = []
app = typer.Typer()


@app.command()
@verb
def fail(as_json: Json = False) -> None:
    raise RAISED[-1]


def ended(error, *words):
    RAISED.append(error)
    return CliRunner().invoke(app, [*words])


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path


def test_it_is_one_sentence_and_its_details_are_this_users_alone():
    end = ended(KeyError("robot_file"))
    (details,) = faults_dir().iterdir()
    assert end.exit_code == Exit.FAULT == 3
    assert "Traceback" not in end.output
    assert "a fault of the program" in end.output
    assert "KeyError: 'robot_file'" in end.output
    assert str(details) in end.output.replace("\n", "")
    assert "raise RAISED[-1]" in details.read_text()
    assert stat.S_IMODE(faults_dir().stat().st_mode) == 0o700


def test_it_is_one_object_for_a_script():
    end = ended(ZeroDivisionError("by zero\nsecond line"), "--json")
    told = json.loads(end.stdout)
    assert told["ok"] is False
    assert "ZeroDivisionError: by zero;" in told["error"]


def test_the_newest_are_kept():
    faults_dir().mkdir(parents=True)
    for number in range(30):
        (faults_dir() / f"20200101T0000{number:02}Z-1.txt").write_text("old")
    ended(KeyError("a"))
    names = sorted(path.name for path in faults_dir().iterdir())
    assert len(names) == KEPT
    assert names[0] == "20200101T000011Z-1.txt"


def test_it_is_a_sentence_where_nothing_can_be_kept(state):
    (state / "state").write_text("a file where a folder should be")
    end = ended(KeyError("a"))
    assert end.exit_code == Exit.FAULT
    assert "could not be kept" in end.output


def test_it_is_not_written_through_a_link(state):
    (state / "elsewhere").mkdir()
    faults_dir().parent.mkdir(parents=True)
    faults_dir().symlink_to(state / "elsewhere")
    assert "could not be kept" in ended(KeyError("a")).output.replace("\n", " ")
    assert not list((state / "elsewhere").iterdir())


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENOSPC, errno.EACCES, errno.EIO])
def test_what_the_system_refuses_is_refused(number):
    end = ended(OSError(number, os.strerror(number), "/some/place"))
    assert end.exit_code == Exit.REFUSED
    assert f"/some/place: the system refuses: {os.strerror(number)}" in end.output
    assert not faults_dir().exists()


@pytest.mark.parametrize(
    ("error", "status"),
    [(typer.Exit(0), 0), (typer.Exit(2), 2), (typer.Abort(), 1), (typer.BadParameter("no"), 2)],
)
def test_the_ends_of_the_command_line_stay_what_they_are(error, status):
    assert ended(error).exit_code == status
    assert not faults_dir().exists()


def limited(soft, hard):
    code = (
        f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}));"
        "from hil.cli import entry; entry._is_program = lambda: False; import sys, resource;"
        "sys.argv = ['hil', '--version']; entry.main()"
    )
    return subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False
    )


def test_too_few_descriptors_are_told_in_a_sentence():
    end = limited(9, 9)
    assert end.returncode == 1
    assert end.stderr == "error: 6 files may still be opened; 64 are needed (ulimit -n 1024)\n"
    assert limited(9, 4096).returncode == 0, "what the system allows is taken"


WITHOUT_DESCRIPTORS = """
import resource
import typer
from hil.terminal.console import verb

@verb
def fail() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
    {fails}

app = typer.Typer()
app.command()(fail)
app([])
"""


@pytest.mark.parametrize(
    ("fails", "status", "words"),
    [
        ("open('/dev/null')", 1, "/dev/null: the system refuses: Too many open files"),
        ("{}['a']", 3, "this is a fault of the program, and none of yours: KeyError: 'a'"),
    ],
)
def test_without_descriptors_it_is_a_sentence_all_the_same(fails, status, words):
    code = WITHOUT_DESCRIPTORS.replace("{fails}", fails)
    end = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False
    )
    assert (end.returncode, "Traceback" in end.stderr) == (status, False), end.stderr
    assert words in end.stderr.replace("\n", " ")
