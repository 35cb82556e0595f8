"""No verb opens a file of the folder that somebody stands in, unless it was named.

The folder holds a module named like each that Python and the installed distributions have, and
files of settings that libraries look for. The judge is the kernel, which reports what is opened.
"""

import json
import os
import subprocess
import sys
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import typer
from campaign import share_of
from opened_files import opened_files
from test_current_folder import verbs
from test_library_settings import SETTINGS

from hil.cli.main import app

HERE = Path(__file__).parent
CONFIGS = HERE.parents[1] / "configs"
MORE_SETTINGS = (
    "can", "pymodbus.log", "jupyter_config.py", "tox.ini", "numba.cfg", "site.cfg", "pip.conf",
    ".numba_config.yml", "mplstyle", "default.mplstyle", ".mujocorc", "glfw3.dll", "libmujoco.so",
    "libglfw.so.3", "libGL.so.1", "libEGL.so.1", "libxcb-cursor.so.0", "PySide6.conf", "aircraft",
    "qtlogging.ini", "kdeglobals", "pyqtgraph.ini", ".netrc", ".pythonrc", "usercustomize.py",
    "sitecustomize.py", "__main__.py", "__init__.py",
)  # fmt: skip
"""None of them a document, of which the panel lists those of the folder."""
LOADED = (
    "hil.cli.main",
    "numba",
    "scipy.linalg",
    "mujoco",
    "matplotlib.figure",
    "hil.recording.reader",
)
"""Loaded once for several verbs."""
RIDE = str(CONFIGS / "motions" / "test_drive.csv")
QUICK = [
    ["run", "short.toml", "--report", "--out", "{out}"],
    ["world", "check", "robot_a"],
    {"arguments": ["panel", "joint_move"], "window": True},
    {"arguments": ["drives", "rack", "--protocol", "modbus-tcp"],
     "until": r"(modbus-tcp:\S+)", "then": ["drives", "scan", "{found}"]},
    {"arguments": ["drives", "rack"],
     "until": r"(slcan:\S+)", "then": ["drives", "scan", "{found}"]},
    ["diagram", "run", "heave", "--for", "0.1"],
    ["fmu", "info", "{model}"],
]  # fmt: skip
"""Verbs that load most libraries."""
MODEL = """\
<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="model" guid="model">
<CoSimulation modelIdentifier="model"/>
<ModelVariables><ScalarVariable name="y" valueReference="0" causality="output"><Real/>
</ScalarVariable></ModelVariables>
<ModelStructure><Outputs><Unknown index="1"/></Outputs></ModelStructure>
</fmiModelDescription>
"""
LONGER = [
    ["run", "joint_move", "--out", "{out}"],
    ["drives", "scan", "socketcan:vcan0"],
    ["export", "{run}", "--out", "{out}/run.csv"],
    ["report", "{run}"],
    {"arguments": ["arm", "emulate"], "until": r"socket:\S+"},
    ["host", "listen", "hcu1", "--seconds", "0.2"],
    ["doctor", "--duration", "0.5"],
    ["fmu", "check", "{model}"],
    ["world", "show", "robot_a", "--png", "{out}/robot.png"],
    ["run", "joint_move", "--out", "{out}", "--report", "--video", "{out}/film.mp4"],
    ["run", "circle", "--out", "{out}", "--report"],
    ["run", "recorded_ride", "--out", "{out}", "--report"],
    ["run", "diagram_heave", "--out", "{out}", "--clock", "real", "--operator"],
    ["stations"],
    ["list"],
    ["check", "heave"],
    ["schema", "rig"],
    ["warm"],
    ["world", "list"],
    ["world", "convert", "robot_a", "--to", "mjcf", "--output", "{out}/robot.xml"],
    ["world", "fk", "robot_a"],
    ["world", "ik", "robot_a", "--pose", "500,0,500,0,0,0"],
    ["world", "view", "robot_a"],
    ["world", "rerun", "{world}", "--out", "{out}"],
    ["world", "send", "--seconds", "0.2"],
    ["world", "jog", "robot_a", "--step", "1:0.1:0.2", "--out", "{out}"],
    ["platform", "ik", "paper"],
    ["platform", "fk", "paper", "--lengths", "0.8,0.8,0.8,0.8,0.8,0.8"],
    ["platform", "extremes", "paper"],
    ["platform", "forces", "paper_cabin", "--pictures", "{out}"],
    ["platform", "sample", "paper"],
    ["platform", "map", "paper", "--points", "6", "--pictures", "{out}"],
    ["platform", "prove", "paper", "--scale", "0.3", "--no-largest", "--pictures", "{out}"],
    ["platform", "accuracy", "paper"],
    ["platform", "size", "paper", "--for", "heave"],
    ["platform", "design", "like_paper", "-o", "{out}/rigs"],
    ["host", "latency", "flight_live", "--seconds", "1", "--out", "{out}"],
    ["host", "list"],
    {"arguments": ["host", "emulate", "hcu1"], "until": r"\n"},
    ["host", "check", "hcu1", "--seconds", "0.2"],
    ["host", "record", "hcu1", "--out", "{out}/ride.csv", "--seconds", "0.2"],
    ["fmu", "run", "{model}", "--trust", "--seconds", "0.1"],
    ["fmu", "export", "paper", "--output", "{out}/paper.fmu"],
    ["drives", "import", str(CONFIGS / "eds" / "hil_emulated_drive.eds")],
    ["drives", "check-type", "epos4"],
    ["drives", "check-bank", "sim:"],
    {"arguments": ["drives", "rack"], "until": r"(slcan:\S+)",
     "then": ["drives", "faults", "{found}"]},
    *(["drives", verb, "paper", "--drives", "sim:", "--out", "{out}"]
      for verb in ("home", "park", "test")),
    ["drives", "jog", "paper", "--drives", "sim:", "--out", "{out}", "--leg", "1"],
    ["drives", "reference", "paper", "--by", "me"],
    ["campaign", "run", "short.toml", "--seeds", "0:2", "--out", "{out}/campaign"],
    ["campaign", "replay", "{out}/campaign", "1"],
    ["diagram", "bench", "heave"],
    ["diagram", "draw", "heave", "--out", "{out}/heave.svg"],
    ["diagram", "diff", "heave", "robot_a"],
    ["diagram", "linear", "robot_a"],
    ["diagram", "signals", "diagram_move"],
    ["diagram", "check", "heave"],
    ["diagram", "explain", "heave"],
    ["diagram", "blocks"],
    {"arguments": ["diagram", "edit", "{out}/new.toml"], "until": "propagateSizeHints"},
    ["diagram", "exercise", "list"],
    ["diagram", "exercise", "new", "wall", "--out", "{out}/law.toml"],
    ["diagram", "exercise", "run", "{out}/law.toml"],
    ["diagram", "exercise", "check", "{out}/law.toml"],
    ["cue", "ride", RIDE, "--out", "{out}"],
    ["cue", "check", RIDE],
    ["cue", "axes", RIDE],
    ["cue", "tune", RIDE, "--evaluations", "2"],
    ["cue", "compare", RIDE],
    ["cue", "omct"],
    ["arm", "check", "circle_on_rm01"],
    ["arm", "run", "circle_on_rm01", "--out", "{out}"],
    *(["arm", *words, "--out", "{out}"] for words in (
        ["goto", "rm01", "--joints", "0,0,0,0,0,0"], ["jog", "rm01"],
        ["play", "rm01", "{out}/poses.csv"], ["identify", "rm01"])),
    ["arm", "fk", "rm01"],
    ["arm", "ik", "rm01", "--pose", "500,0,500,0,0,0"],
    ["arm", "advance", "bkm", "--rates", "0,0,0,0,0,0"],
    ["arm", "id", "bkm", "--motion", "bkm_on_rm01", "--pictures", "{out}"],
    ["arm", "cost", "bkm"],
    ["arm", "simplify", "bkm", "--model", "a", "--payload", "300", "--speed", "1", "--starts", "1"],
    ["arm", "table"],
]  # fmt: skip
"""The others; some are refused where there is no such bus, screen or command of a test."""


def words_of(verb):
    return verb["arguments"] if isinstance(verb, dict) else verb


@pytest.fixture
def folder(tmp_path):
    """A stranger's folder; a run's recording and a model are elsewhere."""
    user = tmp_path / "user"
    user.mkdir()
    (tmp_path / "out").mkdir()
    for name in sys.stdlib_module_names | set(packages_distributions()):
        (user / f"{name}.py").write_text("raise ImportError('an intruder')\n")
        (user / f"{name}.so").write_text("an intruder\n")
    for name, text in dict.fromkeys(MORE_SETTINGS, "[default]\n").items() | SETTINGS.items():
        (user / name).write_text(text)
    with zipfile.ZipFile(tmp_path / "out" / "model.fmu", "w") as archive:
        archive.writestr("modelDescription.xml", MODEL)
    text = (
        'name = "short"\nrig = "paper"\nrate_hz = 50\n[motion]\nkind = "hold"\nduration_s = 0.2\n'
    )
    (user / "short.toml").write_text(text)
    return user


def opened_by(folder, asked, *loaded):
    """Files of the folder that were opened while verbs were run in it, and how those ended."""
    out = folder.parent / "out"
    places = {"{out}": str(out), "{model}": str(out / "model.fmu")}
    for verb, scenario in (("{run}", "short"), ("{world}", "joint_move")):
        places[verb] = str(next(out.glob(f"{scenario}-*"), out))
    text = json.dumps(asked)
    for name, place in places.items():
        text = text.replace(name, place)
    bare = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA", "PYTHON", "DISPLAY"))}
    with opened_files(folder) as opened:
        ended = subprocess.run(
            [sys.executable, HERE / "verb_child.py", "whole", *loaded], cwd=folder, text=True,
            input=text, env=bare | {"QT_QPA_PLATFORM": "offscreen", "HOME": str(out)},
            capture_output=True, timeout=3600, check=False,
        )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    return set(opened), json.loads(ended.stdout)


def test_each_verb_is_tried():
    known = [tuple(words) for words in verbs(typer.main.get_command(app))]
    tried = [verb.get("then", []) for verb in [*QUICK, *LONGER] if isinstance(verb, dict)]
    tried += [words_of(verb) for verb in [*QUICK, *LONGER]]
    assert [verb for verb in known if not any(tuple(t[: len(verb)]) == verb for t in tried)] == []


@pytest.mark.timeout(600)  # for a machine on which much else runs
def test_verbs_that_load_most_libraries_open_only_what_was_named(folder):
    opened, ended = opened_by(folder, QUICK, *LOADED)
    assert opened == {"short.toml"}
    assert [status for status, _ in ended] == [0] * len(QUICK), ended


@pytest.mark.timeout(3600)
@pytest.mark.campaign
def test_no_verb_opens_anything_else(folder):
    opened, _ = opened_by(folder, share_of([QUICK[0], *LONGER], least=5))
    assert opened == {"short.toml"}


def test_what_is_looked_for_in_the_folder_is_seen(folder):
    """Without what keeps the folder away: the judge sees the settings of a library."""
    with opened_files(folder) as opened:
        subprocess.run([sys.executable, "-P", "-c", "import matplotlib"], cwd=folder, check=True)
        subprocess.run([sys.executable, "-c", "import colorsys"], cwd=folder, check=False,
                       capture_output=True)  # fmt: skip
    assert {"matplotlibrc", "colorsys.so"} <= set(opened)
