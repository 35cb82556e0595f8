"""Every verb that reads recordings, on a recording of every station in both clocks.

Verbs are found from the tree of commands, and from the modules that open recordings: one that is
new fails here until it is tried. A recording that a verb cannot use is refused by its station.
"""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import click
import pytest
import typer
from alike import rounds_alike
from campaign import share_of
from real_runs import Program
from short_runs import STATIONS, arguments

from hil.cli.main import app
from hil.run.registry import stations

ROOT = Path(__file__).parents[2]
CHILD = ROOT / "tests" / "installation" / "verb_child.py"
LOADED = ("hil.cli.main", "numba", "scipy.linalg", "mujoco", "matplotlib.figure",
          "hil.recording.reader")  # fmt: skip
SAID = re.compile(r"\bRUN\b|[Rr]ecording|RECORDING|[Rr]ecorded|earlier run")
"""In the name or help of what a verb is given: it may be a recording."""
CLOCKS = ("virtual", "real")
RECORDED = (*STATIONS, "task")
"""Stations, each with a recording; the task's run ends with exit status 1."""


@dataclass(frozen=True)
class Reads:
    """A verb and the parameter that takes a recording."""

    parameter: str
    words: tuple[str, ...]
    says: str
    """Pattern of its answer to a recording that it takes."""
    takes: tuple[str, ...] = RECORDED
    refuses: str = ""
    """Pattern of its answer to others; `{station}` is theirs."""
    status: int = 0
    until: str = ""
    window: bool = False


SHORT = ("--set", "motion.duration_s=2.5", "--set", "settle_s=0.1")
RIDE = "this is the recording of a run; the table of a ride is needed"
OF_WORLD = r"is of station {station}; world is needed"
READS = {
    "report": Reads("run_path", ("report", "{run}", "--out", "{out}"), r"report: .*report\.html"),
    "export": Reads("run_path", ("export", "{run}", "--out", "{out}"), r"\d+ rows: .*cycles\.csv"),
    "panel": Reads("what", ("panel", "{run}"), "", window=True),
    "run": Reads(
        "--edits", ("run", "joint_move", *SHORT, "--edits", "{run}", "--out", "{out}"),
        r"joints: at most", ("world",), OF_WORLD,
    ),
    "check": Reads(
        "--edits", ("check", "joint_move", *SHORT, "--edits", "{run}"), r"ok: joint_move",
        ("world",), OF_WORLD,
    ),
    "world rerun": Reads(
        "recording", ("world", "rerun", "{run}", "--out", "{out}"), r"the same: \d+ rows",
        ("world",), OF_WORLD,
    ),
    "arm play": Reads(
        "file", ("arm", "play", "rm01", "{run}", "--out", "{out}"),
        r"nothing has moved: the robot is at .* begins at x 450\.00 y 150\.00 z 750\.00 mm",
        ("arm",), r"a recording of the {station}, one of the arm is needed", status=1,
    ),
    "arm emulate": Reads(
        "--ride", ("arm", "emulate", "--world", "arm_on_platform", "--ride", "{run}"), r"\n",
        ("platform", "simulator"),
        r"a recording of station {station} has no reached_pose: one of a platform's run is needed",
        until=r"socket:\S+",
    ),
    "drives reference": Reads(
        "--ruler",
        ("drives", "reference", "paper", "--ruler", "{run}", "--measured", "0.01", "--by", "me"),
        "", (), r"is of another rig than 'paper'|this recording has 0 moves",
    ),
    "cue ride": Reads(
        "record", ("cue", "ride", "{run}/recording.mcap", "--out", "{out}"), "", (),
        RIDE,
    ),
    "cue check": Reads("record", ("cue", "check", "{run}/recording.mcap"), "", (),
                       RIDE),
    "cue compare": Reads("record", ("cue", "compare", "{run}/recording.mcap"), "", (),
                         RIDE),
}  # fmt: skip
"""By verb; a jog of one leg alone is what a ruler proves, tests/platform_station tries it; rides of
`hil cue` are tables."""
TAKEN = [(verb, one) for verb, reads in READS.items() for one in reads.takes]
CELLS = share_of(
    TAKEN + [(verb, one) for verb in READS for one in RECORDED if (verb, one) not in TAKEN],
    least=len(TAKEN),
)
"""Verbs and stations; those whose recordings are taken are tried always."""
OTHERS = {
    "run": {"--fit"}, "check": {"--fit"}, "world view": {"--out"}, "world rerun": {"--out"},
    "host latency": {"--out"}, "host emulate": {"--feed"}, "cue ride": {"--preview"},
    "cue compare": {"--preview"}, "arm play": {"--slower"}, "campaign run": {"--keep"},
    **{f"drives {verb}": {"--out"} for verb in ("home", "jog", "park", "test")},
}  # fmt: skip
"""Parameters that speak of recordings and take none: places for one, tables, ways to play."""
OPENING = {
    "hil/stations/platform/commissioning/chain_findings.py": "doctor --chain, of its own run",
    "hil/cli/recordings.py": "report, export",
    "hil/panel/study/models/replay.py": "panel",
    "hil/stations/world/plan/requested_plan.py": "run --edits, check --edits",
    "hil/stations/world/run/rerun.py": "world rerun",
    "hil/stations/arm/moves/play.py": "arm play",
    "hil/stations/arm/run/ride.py": "arm emulate --ride",
    "hil/stations/platform/commissioning/reference_tools.py": "drives reference --ruler",
    "hil/stations/world/sources/recorded_stream.py": "a scenario's motion.file, test_copy_mode",
    **dict.fromkeys((
        "hil/campaign/page.py",
        "hil/stations/arm/report/recording.py", "hil/stations/arm/run/runner.py",
        "hil/stations/platform/commissioning/moves.py", "hil/stations/platform/run/runner.py",
        "hil/service.py", "hil/stations/simulator/cue/score.py",
        "hil/stations/simulator/cue/latency_run.py", "hil/stations/world/run/runner.py",
    ), "what it has recorded itself"),
}  # fmt: skip
"""Modules that open recordings, and which verb's they are."""


def given(command, path=()):
    """All parameters of all verbs."""
    if isinstance(command, click.Group) or hasattr(command, "commands"):
        for name, inner in command.commands.items():
            yield from given(inner, (*path, name))
    else:
        yield from ((" ".join(path), one) for one in command.params)


def test_every_verb_that_reads_recordings_is_tried():
    found = {
        (verb, one.opts[-1])
        for verb, one in given(typer.main.get_command(app))
        if SAID.search(f"{one.metavar or ''} {getattr(one, 'help', None) or ''}")
    }
    tried = {(verb, reads.parameter) for verb, reads in READS.items()}
    others = {(verb, option) for verb, options in OTHERS.items() for option in options}
    assert found == tried | others


def test_every_module_that_opens_recordings_is_of_a_verb_that_is_tried():
    opening = {
        str(file.relative_to(ROOT))
        for file in (ROOT / "hil").rglob("*.py")
        if re.search(r"\bRecording\.open\(", file.read_text(encoding="utf-8"))
    } | {
        str(file.relative_to(ROOT))
        for file in (ROOT / "hil").rglob("*.py")
        if "ArmRecording.open(" in file.read_text(encoding="utf-8")
    }
    assert opening == set(OPENING)


def test_every_station_has_a_recording():
    assert set(RECORDED) == {one.name for one in stations()}


def tried(runs, folder):
    """What each verb said to each recording: its exit status and its words, by verb and station."""
    asked = [asked_of(READS[verb], runs[station], folder / station) for verb, station in CELLS]
    return dict(zip(CELLS, said(asked, folder), strict=True))


def asked_of(reads, run, out):
    words = [one.replace("{run}", str(run)).replace("{out}", str(out)) for one in reads.words]
    verb = {"arguments": words, "window": reads.window}
    return verb | ({"until": reads.until} if reads.until else {})


def said(verbs, folder):
    folder.mkdir(exist_ok=True)
    ended = subprocess.run(
        [sys.executable, CHILD, "whole", *LOADED], cwd=folder, text=True, input=json.dumps(verbs),
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen", "COLUMNS": "400"},
        capture_output=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


@pytest.fixture(scope="module")
def of_virtual_runs(tmp_path_factory):
    """All answers to recordings of the virtual clock."""
    folder = tmp_path_factory.mktemp("virtual")
    runs = [["run", *arguments(station), "--out", str(folder / station)] for station in RECORDED]
    ends = dict(zip(RECORDED, said(runs, folder), strict=True))
    assert {one: status for one, (status, _) in ends.items()} == dict.fromkeys(STATIONS, 0) | {
        "task": 1
    }
    found = {one: next((folder / one).glob("*/recording.mcap")).parent for one in RECORDED}
    return tried(found, folder / "answers")


@pytest.fixture(scope="module")
def of_real_runs(tmp_path_factory):
    """All answers to recordings of the real clock, whose runs go side by side."""
    folder = tmp_path_factory.mktemp("real")
    programs = {one: Program(folder / one, arguments(one, 'clock="real"')) for one in RECORDED}
    try:
        for program in programs.values():
            program.wait()  # a machine that stalls ends it early: a recording all the same
        found = {one: program.recording.parent for one, program in programs.items()}
    finally:
        for program in programs.values():
            program.close()
    return tried(found, folder / "answers")


def judge(answer, verb, station):
    reads, (status, words) = READS[verb], answer
    assert "Traceback" not in words
    if station in reads.takes:
        assert status == reads.status, words
        assert re.search(reads.says, words), words
    else:
        assert status in (1, 2), words
        assert re.search(reads.refuses.replace("{station}", station), words), words


@pytest.mark.campaign
@pytest.mark.timeout(600)  # the first of them runs all
@pytest.mark.parametrize(("verb", "station"), CELLS)
def test_recordings_of_the_virtual_clock(of_virtual_runs, verb, station):
    judge(of_virtual_runs[verb, station], verb, station)


@rounds_alike
@pytest.mark.real_time
@pytest.mark.campaign
@pytest.mark.timeout(600)  # the first of them runs all
@pytest.mark.parametrize(("verb", "station"), CELLS)
def test_recordings_of_the_real_clock(of_real_runs, verb, station):
    judge(of_real_runs[verb, station], verb, station)
