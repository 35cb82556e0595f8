"""Neither the program nor its libraries execute anything of the folder that somebody stands in.

The folder holds a module named like each that Python and the installed distributions have, and
programs named like those that libraries start. Each leaves a file when it is executed.
"""

import json
import os
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import click
import pytest
import typer
from campaign import share_of

from hil.cli.entry import main as program
from hil.cli.main import app
from hil.ipc.child import isolated, run_tool

HERE = Path(__file__).parent
HIL = Path(sys.executable).with_name("hil")
PROGRAMS = ("gcc", "cc", "ld", "ldconfig", "objdump", "fc-list", "ffmpeg", "uname", "ip", "latex")
SCENARIO = """\
name = "short"
rig = "paper"
[motion]
kind = "hold"
duration_s = 0.2
"""
QUICK = [
    ["world", "check", "robot_a"],
    ["schema", "rig"],
    ["diagram", "check", "heave"],
    ["host", "list"],
    ["arm", "fk", "rm01"],
]
"""A real run of some families."""
LONGER = [
    ["run", "short.toml", "--report"],
    ["run", "joint_move", "--report", "--video", "film.mp4"],
    ["world", "show", "robot_a", "--png", "robot.png"],
    ["run", "circle", "--report"],
    ["run", "live_demo", "--report"],
    ["run", "diagram_heave", "--report"],
    ["check", "heave"],
    ["diagram", "exercise", "list"],
    ["doctor", "--duration", "0.5"],
    ["cue", "omct", "--help"],
]


def verbs(command, path=()):
    """All verbs of the program, as the words that choose them."""
    if isinstance(command, click.Group) or hasattr(command, "commands"):
        for name, inner in command.commands.items():
            yield from verbs(inner, (*path, name))
    else:
        yield [*path]


@pytest.fixture
def folder(tmp_path):
    """A folder full of intruders, and the one for what they leave."""
    user, seen = tmp_path / "user", tmp_path / "seen"
    user.mkdir()
    seen.mkdir()
    for name in sys.stdlib_module_names | set(packages_distributions()):
        if name.isidentifier():
            text = f"open({str(seen / name)!r}, 'w').close()\nraise ImportError('an intruder')\n"
            (user / f"{name}.py").write_text(text)
    for name in PROGRAMS:
        (user / name).write_text(f"#!/bin/sh\n: > {seen / name}.program\nexit 1\n")
        (user / name).chmod(0o755)
    (user / "short.toml").write_text(SCENARIO)
    return user, seen


def environment(**changes):
    """This process', without what it says of the current folder."""
    bare = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
    return bare | changes


def run(folder, command, given=None, **changes):
    return subprocess.run(
        [str(word) for word in command], cwd=folder, env=environment(**changes), input=given,
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip


def executed(folder, arguments, mode="whole", **changes):
    """What was executed of a folder while verbs were run in it, and their exit statuses."""
    user, seen = folder
    path = f":{os.environ['PATH']}"  # an empty entry: the current folder
    ended = run(
        user, [sys.executable, HERE / "verb_child.py", mode], json.dumps(arguments),
        PATH=path, **changes,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    told = json.loads(ended.stdout)
    seen_there = {file.name for file in seen.iterdir()}
    return seen_there, [status for status, _ in told], "".join(text for _, text in told)


def test_the_main_verbs_execute_nothing_of_the_current_folder(folder):
    seen, ended, text = executed(folder, QUICK)
    assert seen == set()
    assert ended == [0] * len(ended), text


@pytest.mark.campaign
def test_no_verb_executes_anything_of_the_current_folder(folder):
    every = list(verbs(typer.main.get_command(app)))
    assert len(every) > 60
    lasting = ("panel", "doctor", "warm")
    wrong = [[*words, "nothing-of-that-name"] for words in every if words[0] not in lasting]
    assert (
        executed(folder, share_of([*wrong, *([*words, "--help"] for words in every)]))[0] == set()
    )


def test_the_program_is_isolated_before_it_loads_anything(folder):
    user, seen = folder
    ended = run(user, [HIL, "world", "list", "--json"])
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["ok"] is True
    assert not list(seen.iterdir())


def test_without_it_the_intruders_would_be_executed(folder):
    seen, _, _ = executed(folder, [["host", "list"]], mode="bare")
    assert "ctypes" in seen


@pytest.mark.campaign
@pytest.mark.parametrize("arguments", share_of(LONGER), ids=" ".join)
def test_a_longer_verb_executes_nothing_either(folder, arguments):
    assert executed(folder, [arguments])[:2] == (set(), [0])


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("", None),
        (":", None),
        (".", None),
        ("parts:../x:~/bin", None),
        (":/opt/bin", "/opt/bin"),
        ("/a::/b:", "/a:/b"),
    ],
)
@pytest.mark.parametrize(
    "name", ["PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONPYCACHEPREFIX", "NUMBA_CACHE_DIR"]
)
def test_only_whole_paths_are_searched(name, given, kept):
    found = isolated({name: given, "OTHER": given})
    assert found.get(name) == kept
    assert (found["OTHER"], found["PYTHONSAFEPATH"]) == (given, "1")
    assert isolated(found) == found


def test_libraries_are_listed_with_semicolons_as_well():
    assert isolated({"LD_LIBRARY_PATH": "/a;;./b:/c"})["LD_LIBRARY_PATH"] == "/a:/c"


def test_a_tool_is_not_taken_from_the_current_folder(folder, monkeypatch):
    user, seen = folder
    monkeypatch.chdir(user)
    monkeypatch.setenv("PATH", f":{os.environ['PATH']}")
    run_tool(["gcc", "--version"])
    assert not list(seen.iterdir())
    subprocess.run(["gcc", "--version"], check=False)
    assert (seen / "gcc.program").exists()


def test_a_larger_program_that_calls_ours_is_not_started_anew(monkeypatch, capfd):
    monkeypatch.setattr(sys, "argv", ["hil", "--version"])
    before = dict(os.environ)
    with pytest.raises(SystemExit) as end:
        program()
    os.environ.clear()
    os.environ.update(before)
    assert end.value.code == 0
    assert "hil-bench" in capfd.readouterr().out
