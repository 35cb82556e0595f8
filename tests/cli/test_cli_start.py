"""How the program is called: its version, its module, what a shell completes, what it waits for."""

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hil.cli.main import app
from hil.terminal import console
from hil.terminal.completion import offered

TOP = Path(__file__).parents[2]
PACKAGES = ("hil", "platform6dof", "arm_driver", "drives", "safety", "sim", "hil_common")


def module(*arguments, folder, **variables):
    environment = {**os.environ, "PYTHONPATH": str(TOP), **variables}
    return subprocess.run(
        [sys.executable, "-m", "hil", *arguments], cwd=folder, env=environment,
        capture_output=True, text=True,
    )  # fmt: skip


@pytest.mark.parametrize("option", ["--version", "-v"])
def test_the_version_is_that_of_the_distribution(option):
    shown = CliRunner().invoke(app, [option])
    assert shown.exit_code == 0
    first, second = shown.stdout.splitlines()
    assert first.startswith(f"hil-bench {version('hil-bench')}, ")
    assert second.startswith(f"Python {sys.version.split()[0]}, ")


@pytest.mark.parametrize("name", PACKAGES)
def test_each_package_has_the_version_and_its_types(name):
    package = sys.modules.get(name) or __import__(name)
    assert package.__version__ == version("hil-bench")
    assert (Path(package.__file__).parent / "py.typed").exists()
    with pytest.raises(AttributeError, match=f"module '{name}' has no attribute 'nonsense'"):
        _ = package.nonsense


def test_the_module_is_the_program_and_nothing_of_the_folder_is_loaded(tmp_path):
    for name in ("numpy", "typer", "safety", "platform"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('taken from the folder')")
    done = module("--version", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("hil-bench ")


def test_a_shell_is_offered_names_and_paths(tmp_path):
    words = {"_HIL_COMPLETE": "complete_bash", "COMP_WORDS": "hil check de", "COMP_CWORD": "2"}
    done = module(folder=tmp_path, **words)
    assert done.stdout.split() == ["demo"]


def test_shipped_names_come_before_what_lies_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rigs").mkdir()
    for name in ("rm.toml", "rm.csv", ".rm.toml", "rigs/paper2.toml"):
        (tmp_path / name).touch()
    assert offered("robots")("r") == ["rm01", "rigs/", "rm.toml"]
    assert offered("rigs")("rigs/pa") == ["rigs/paper2.toml"]
    assert set(offered("robots", "arms")("")) >= {"rm01", "bkm", "puma560"}
    assert offered("rigs")("nowhere/") == []


class Timer:
    """A timer whose time comes when the test says so."""

    def __init__(self, after_s, told, arguments, named):
        self.after_s, self.daemon, self.ended = after_s, False, False
        self.passes = lambda: told(*arguments, **named)
        Timer.last = self

    def start(self):
        assert self.daemon

    def cancel(self):
        self.ended = True


def test_a_long_wait_is_told_though_nobody_has_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr(console.threading, "Timer", Timer)
    with console.waiting("compiling", quiet=True):
        assert capsys.readouterr() == ("", "")
        Timer.last.passes()
        out, err = capsys.readouterr()
        assert (out, err) == ("", "compiling …\n")
    assert Timer.last.ended
    assert Timer.last.after_s == 1.0
