"""Each command of the documents is run, in their order, or is known to need what a test has not."""

import re
import shlex

import pytest
from campaign import SHARE
from test_docs import DOCUMENTS, ROOT, command_lines
from typer.testing import CliRunner

from hil.cli.main import app

OWN = "a file, run or address of the reader's own"
PERSON = "a person leads it, or ends it"
REAL = "runs on the real clock: tests of its station do so"
NEEDS = {
    r"(?<![\w.])([A-Z]{3,}\d*|NS|UD)\b|\$URL|\bmy_(?!force|press)|…|\*": OWN,
    r"\b(drive|old|new|maker|path|hold_neutral)\.(csv|toml|eds)\b|class/|FmuCar": OWN,
    r"my_(force|press)|exercise (run|check)": "what the reader has drawn",
    r"--drives rig\b|modbus-tcp://": "drives on a wire",
    r"^hil (panel|world view|world jog|world send|arm jog)\b": PERSON,
    r"^hil (drives rack|arm emulate|host emulate|host listen|host record|host check)\b": PERSON,
    r"--operator|--edit": PERSON,
    r"--clock real|/real_time\.toml|^hil host latency flight_live": REAL,
    r"^hil (doctor|host latency)\b": "its answer is the machine's",
    r"glide:|rodline|third_station": "a package that is not installed here",
    r"fmu_vehicle": "an FMU that the reader builds before",
    r"^hil arm table\b.*--(cache|pictures)": "minutes of references",
    r"^hil arm simplify bkm( --bound \S+)?$": "minutes of motions; shorter ones are beside it",
}
"""Commands that are not run, and why."""
LONG = re.compile(
    r"^hil (run|check|cue|fmu export|fmu run|arm (identify|goto|simplify|table)|world show"
    r"|platform prove|campaign container)\b"
)
"""Commands of more than a moment, run by `make test-long`."""
STOPPED = re.compile(r"^hil run (leaves_envelope)$|^hil platform prove paper( --pictures \S+)?$")
"""Runs that the gate ends and a box that is not inside its travel, as they are to show."""
TIMEOUT_S = 1800


def needed(line):
    """Why a command is not run here; None if it is."""
    return next((why for pattern, why in NEEDS.items() if re.search(pattern, line)), None)


def lines_of(path):
    """Its commands as a person would write them."""
    return [shlex.join(words) for words in command_lines(path.read_text(encoding="utf-8"))]


def run_here(path):
    """Those that are run here, each once."""
    lines = (line for line in dict.fromkeys(lines_of(path)) if not needed(line))
    return [line for line in lines if SHARE >= 1.0 or not LONG.search(line)]


WITH_COMMANDS = [path for path in DOCUMENTS if run_here(path)]


@pytest.mark.timeout(TIMEOUT_S)
@pytest.mark.parametrize("path", WITH_COMMANDS, ids=lambda path: path.stem)
def test_commands_end_well(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for line in run_here(path):
        words = shlex.split(line.partition(" '>' ")[0])[1:]
        result = CliRunner().invoke(app, words)
        assert result.exit_code == (1 if STOPPED.search(line) else 0), f"{line}\n{result.output}"


def test_every_reason_is_that_of_some_command():
    lines = [line for path in DOCUMENTS for line in lines_of(path)]
    assert [one for one in NEEDS if not any(re.search(one, line) for line in lines)] == []


def test_most_documents_have_commands_that_are_run():
    assert ROOT / "README.md" in WITH_COMMANDS
    assert len(WITH_COMMANDS) > 5


def test_a_command_that_ends_badly_is_seen(tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text("```\nhil arm fk rm01 --q 0,45   # too few\n```\n")
    with pytest.raises(AssertionError, match="hil arm fk rm01 --q 0,45"):
        test_commands_end_well(page, tmp_path, monkeypatch)
