"""Libraries take no settings from the folder that somebody stands in.

The judge is the kernel, which reports what is opened there.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from opened_files import opened_files

HIL = Path(sys.executable).with_name("hil")
SETTINGS = {
    "matplotlibrc": "lines.linewidth: 31\n",
    ".numba_config.yaml": "stranger\n",
    **dict.fromkeys(
        ("can.conf", "can.ini", ".canrc", "qt.conf", ".env", "fonts.conf", ".drirc", "setup.cfg"),
        "[default]\n",
    ),
    "MUJOCO_LOG.TXT": "",
}
YAML = """\
def safe_load(file):
    return {"CACHE_DIR": file.read().strip()}
"""
"""Stands for PyYAML, by which numba reads its file where it is installed."""
SCENARIO = """\
name = "short"
rig = "paper"
[motion]
kind = "hold"
duration_s = 0.2
"""
LOADED = """
import json, os
{first}
import matplotlib
from numba import config, njit
njit(lambda x: x + 1)(1)
print(json.dumps([matplotlib.rcParams["lines.linewidth"], config.CACHE_DIR, os.getcwd()]))
"""
IGNORED = "from hil.ipc.library_settings import ignore_current_folder\nignore_current_folder()"


@pytest.fixture
def folder(tmp_path):
    """A stranger's folder, with settings of each library that could look for some."""
    user = tmp_path / "user"
    user.mkdir()
    for name, text in SETTINGS.items():
        (user / name).write_text(text)
    (user / "short.toml").write_text(SCENARIO)
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "yaml.py").write_text(YAML)
    return user


def run(folder, *command, status=0):
    """What a program printed, and which files of the folder were opened meanwhile."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA", "PYTHON"))}
    environment["PYTHONPATH"] = str(folder.parent / "modules")
    with opened_files(folder) as opened:
        done = subprocess.run(
            [str(word) for word in command], cwd=folder, env=environment, timeout=300,
            check=False, capture_output=True, text=True,
        )  # fmt: skip
    assert done.returncode == status, done.stderr
    return done.stdout, set(opened)


def test_settings_of_the_current_folder_are_ignored(folder):
    printed, opened = run(folder, sys.executable, "-P", "-c", LOADED.format(first=IGNORED))
    assert json.loads(printed) == [1.5, "", str(folder)]
    assert opened == set()


def test_without_it_they_would_be_taken(folder):
    printed, opened = run(folder, sys.executable, "-P", "-c", LOADED.format(first=""))
    assert json.loads(printed) == [31.0, "stranger", str(folder)]
    assert opened == {"matplotlibrc", ".numba_config.yaml"}


def test_settings_that_appear_after_numba_was_loaded_are_ignored_too(folder):
    (folder / ".numba_config.yaml").rename(folder / "later")
    late = "import os; from numba import config; os.rename('later', '.numba_config.yaml')"
    printed, _ = run(folder, sys.executable, "-P", "-c", LOADED.format(first=f"{IGNORED}\n{late}"))
    assert json.loads(printed)[1] == ""


@pytest.mark.campaign
def test_a_run_and_its_report_open_only_what_was_named(folder):
    """With their processes: gate, recorder, prover."""
    command = ("run", "short.toml", "--report", "--clock", "virtual", "--out", "runs")
    assert run(folder, HIL, *command)[1] - {"runs"} == {"short.toml"}
    assert (folder / "MUJOCO_LOG.TXT").read_text() == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ("world", "check", "robot_a"),
        ("arm", "fk", "rm01"),
        ("diagram", "check", "heave"),
        ("check", "heave"),
    ],
    ids=" ".join,
)
def test_verbs_open_nothing_of_the_folder(folder, arguments):
    assert run(folder, HIL, *arguments)[1] == set()


def test_a_folder_that_is_deleted_meanwhile_is_no_fault(tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    first = f"{IGNORED}\nos.chdir({str(gone)!r}); os.rmdir({str(gone)!r})"
    code = LOADED.format(first=first).replace("os.getcwd()", "os.path.exists('.')")
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], check=True, capture_output=True, text=True
    )
    assert json.loads(done.stdout)[0] == 1.5
