"""Emulated drives in processes of their own, and the command line that is told to use them."""

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import pytest
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.file_search import configs_dir
from hil.timing.stop import StopSignals

PAPER_TEXT = (configs_dir() / "rigs" / "paper.toml").read_text(encoding="utf-8")
QUICKER = {
    "speed_m_s = 0.10": "speed_m_s = 0.40",
    "acceleration_m_s2 = 0.20": "acceleration_m_s2 = 2.00",
    "jerk_m_s3 = 0.80": "jerk_m_s3 = 40.0",
    "enable_time_s = 0.2 ": "enable_time_s = 0.05",
    "late_cycles_max = 3.0": "late_cycles_max = 10.0",
    "missing_setpoints_max = 2": "missing_setpoints_max = 5",
    "missing_feedback_max = 2": "missing_feedback_max = 5",
}
"""The shipped rig, but risen, tested and parked in a shorter time; and the lateness of a busy test
machine is not what is tested with it."""
CHANCE = re.compile(r"\blate(ness)?\b|cycle time|setpoint age|missing|silent|0x8130|0x8250")
"""Words of reasons that a busy test machine may give: a run that ended so, or that gave up
deadlines, may be repeated. The codes are those of the drives' own watchdogs (CiA 301)."""
ATTEMPTS = 3
T = TypeVar("T")
runner = CliRunner()


def _lacks() -> str:
    try:
        socket.create_server(("127.0.0.1", 0)).close()
    except OSError as error:
        return f"no loopback: {error}"
    try:
        for end in os.openpty():
            os.close(end)
    except (OSError, AttributeError) as error:
        return f"no pseudo-terminals: {error}"
    return "" if hasattr(os, "sched_setscheduler") else "the real clock needs Linux"


needs_wires = pytest.mark.skipif(bool(_lacks()), reason=_lacks() or "never")


def write_quick_rig(folder: Path) -> Path:
    """A rig file like the shipped one, with quicker slow moves."""
    text = PAPER_TEXT
    for old, new in QUICKER.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path = folder / "paper_quick.toml"
    path.write_text(text, encoding="utf-8")
    return path


class RackProcess:
    """`hil drives rack` with its console in the tests' hands."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "hil.cli", "drives", "rack", *arguments]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()
        assert self.url, f"the rack did not start: status {self.process.wait()}"

    def say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def close(self) -> None:
        self.process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(5.0)
        self.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                pipe.close()


@contextmanager
def rack(*arguments: str) -> Iterator[RackProcess]:
    emulated = RackProcess(*arguments)
    try:
        yield emulated
    finally:
        emulated.close()


class After(StopSignals):
    """In place of the operator's wish to end: does something in a cycle, and wishes nothing."""

    __slots__ = ("_action", "_left")

    def __init__(self, cycle: int, action: Callable[[], object]) -> None:
        super().__init__()
        self._left = cycle
        self._action = action

    @property
    def asked(self):
        self._left -= 1
        if self._left == 0:
            self._action()
        return super().asked


def shown(*arguments, status: int = 0):
    """What a verb writes for people."""
    result = runner.invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == status, result.output + repr(result.exception)
    assert "Traceback" not in result.output
    return result


def told(*arguments, status: int | None = None) -> dict:
    """The one JSON object that a verb prints."""
    result = runner.invoke(app, [*(str(argument) for argument in arguments), "--json"])
    assert status is None or result.exit_code == status, result.output + repr(result.exception)
    lines = result.stdout.splitlines()
    assert len(lines) == 1, result.output
    answer = json.loads(lines[0])
    assert answer["ok"] is (result.exit_code == 0)
    return answer


def repeated(attempt: Callable[[], T], spoilt: Callable[[T], object]) -> T:
    """What an attempt gives; made again while the test machine was too busy for it.

    The last attempt counts whatever it was like, so nothing is hidden by this.
    """
    for _ in range(ATTEMPTS - 1):
        result = attempt()
        if not spoilt(result):
            return result
    return attempt()


def _by_chance(answer: dict) -> bool:
    late = answer.get("overruns", 0) or CHANCE.search(answer.get("reason", ""))
    return not answer["ok"] and bool(late)


def told_well(*arguments) -> dict:
    """Like `told` for what must go well; repeated if the test machine was too busy."""
    answer = repeated(lambda: told(*arguments), _by_chance)
    assert answer["ok"], answer
    return answer


def shown_well(*arguments):
    """Like `shown` for what must go well; repeated if the test machine was too busy."""

    def by_chance(result) -> bool:
        late = CHANCE.search(result.output) or not re.search(r"overruns +0\b", result.output)
        return bool(result.exit_code and late)

    words = [str(argument) for argument in arguments]
    result = repeated(lambda: runner.invoke(app, words), by_chance)
    assert result.exit_code == 0, result.output + repr(result.exception)
    return result
