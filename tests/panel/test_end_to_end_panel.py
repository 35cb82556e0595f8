"""A person at a real window leads a real bench: by keys, through its desk, on simulated drives."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("PySide6.QtWidgets")

from bench_plans import HEAVE, TOO_FAR
from window_bench import HOME, NEXT, NOW_S, PARK, RESET, TAKE, Operator, makers, scenario_text

from hil.desk import messages as m
from hil.recording.events import EventKind
from hil.recording.reader import Recording

pytestmark = [
    pytest.mark.real_time,
    pytest.mark.skipif(sys.platform != "linux", reason="the real clock is for Linux"),
]


@pytest.fixture
def begin(app, tmp_path):
    """Begin a bench and windows; whatever was begun is ended."""
    with makers(app, tmp_path, Operator) as made:
        yield made


def change_motion(operator, table):
    """Ask for another motion as the controls do; what the desk says of it."""
    number = operator.window.next_id()
    operator.window.send(m.Motion(table=table, id=number))
    answers = operator.window.turns.answers
    operator.until(lambda: any(answer.id == number for answer in answers))
    return next(answer for answer in answers if answer.id == number)


def test_a_limit_trips_the_fault_is_seen_reset_and_the_run_goes_on(begin):
    make_bench, make_operator = begin
    bench = make_bench(scenario_text(TOO_FAR | {"fade_s": 0.5}))
    operator = make_operator(seen=("faults", "controls", "timeline", "margins", "lateness"))
    operator.watch(bench.socket, take=True)
    operator.until(lambda: operator.model.you_own)
    while operator.model.mode != "FAULT":  # a stall of the machine lets go before the limit comes
        operator.play()
        operator.until_mode("FAULT", "HOLD")
    faults = operator.window.views["faults"].model
    operator.until(lambda: faults.active)
    fault = next(entry for entry in faults.entries if entry.active)
    assert fault.place.startswith("leg ")
    assert fault.value.endswith("mm")
    assert "Reset" in fault.advice

    refused = change_motion(operator, TOO_FAR)
    assert not refused.ok
    assert "leg" in refused.error
    assert change_motion(operator, HEAVE).ok
    operator.until(lambda: operator.model.operation.motion_serial == 1)

    operator.press_until(RESET, "IDLE")
    assert not faults.active
    operator.press_until(HOME, "STANDBY")
    operator.play()
    while operator.model.mode != "STANDBY":
        operator.press_until(PARK, "PARKING")
        operator.until_mode("STANDBY", "HOLD")
    operator.end_run()
    out, errors = bench.process.communicate(timeout=30)
    assert bench.process.returncode == 0, (out, errors)
    judge(Recording.open(bench.recording()))


def judge(recording):
    """What the operator did is in the record, and moved nothing beyond the limits."""
    told = [event.message for event in recording.events if event.name == "operator"]
    for text in ("HOME pressed", "ENGAGE pressed", "PLAY pressed", "RESET pressed", "PARK pressed"):
        assert text in told
    assert any(event.kind is EventKind.VIOLATION for event in recording.events)
    engaged = recording.column("mode") == recording.modes.index("ENGAGED")
    lengths = recording.column("measured_length_m")[engaged]
    assert np.nanmin(lengths) > 0.65
    assert np.nanmax(lengths) < 1.37


class Watcher:
    """A client that only looks on, and sees what becomes of a frozen panel."""

    def __init__(self, operator):
        self.operator = operator

    def reaction_s(self, child, modes):
        """Freeze a process; time until the platform is being stopped [s]."""
        begun_s = NOW_S()
        child.send_signal(signal.SIGSTOP)
        self.operator.until_mode(*modes)
        return self.operator.modes[-1][0] - begun_s


def test_a_frozen_panel_lets_go_and_makes_nothing_late(begin, tmp_path):
    make_bench, make_operator = begin
    bench = make_bench(scenario_text(rate_hz=200.0))
    child = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("window_bench.py")), str(bench.place),
         str(tmp_path)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    try:
        watcher = make_operator("watcher", seen=())
        watcher.watch(bench.socket)
        reactions_s, frozen_at_s = [], []
        while not reactions_s or (min(reactions_s) > 0.2 and len(reactions_s) < 3):
            watcher.until(lambda: watcher.model.operation.playing == "play", time_s=40.0)
            watcher.until(lambda: watcher.model.operation.motion_t_s > 0.5, time_s=40.0)
            frozen_at_s.append(watcher.model.t_s)
            reactions_s.append(Watcher(watcher).reaction_s(child, ("CSTOP", "HOLD")))
            stopped_s = NOW_S()
            watcher.until(lambda: NOW_S() - stopped_s > 1.5)  # noqa: B023
            assert watcher.model.mode == "HOLD"
            assert not watcher.model.operation.held
            if min(reactions_s) > 0.2:
                child.send_signal(signal.SIGCONT)
    finally:
        child.kill()
        child.communicate()
    assert min(reactions_s) <= 0.2, "0.15 s of silence, one cycle, and a look of this window"
    watcher.until(lambda: watcher.model.owner == "")
    watcher.press(TAKE)
    watcher.end_run()
    out, errors = bench.process.communicate(timeout=30)
    assert bench.process.returncode == 0, (out, errors)
    compare_lateness(Recording.open(bench.recording()), frozen_at_s[-1])


def compare_lateness(recording, frozen_at_s):
    """The loop was as punctual while its panel was frozen as before."""
    times, late = recording.t_s, np.abs(recording.column("late_s"))
    before = late[(times > frozen_at_s - 1.5) & (times < frozen_at_s)]
    after = late[(times > frozen_at_s) & (times < frozen_at_s + 1.5)]
    assert len(before) > 100
    assert len(after) > 100
    # The median: single cycles are late on a machine that does other things as well.
    assert np.median(after) <= 1.3 * np.median(before) + 50e-6


def test_ctrl_c_at_the_terminal_is_told_until_the_platform_is_parked(begin):
    make_bench, make_operator = begin
    bench, operator = make_bench(None), make_operator(seen=())
    operator.watch(bench.socket, take=True)
    operator.until(lambda: operator.model.you_own)
    while operator.model.mode not in ("ENGAGING", "ENGAGED"):  # or a stall has let go
        operator.grip()
        if operator.model.mode in NEXT:
            operator.press(NEXT[operator.model.mode])
        pressed_s = NOW_S()
        operator.until(lambda: NOW_S() - pressed_s > 0.3)  # noqa: B023
    ending, seen = operator.window.strip.state.alarm, []

    def look():
        if ending.isVisible() and (not seen or seen[-1] != ending.text()):
            seen.append(ending.text())

    bench.process.send_signal(signal.SIGINT)
    operator.until_over(look)
    cause = "Ctrl-C at the terminal, or a signal"
    operator.until(lambda: ending.text() == f"ENDED: the run is over: {cause}")
    under_way = f"THE RUN IS ENDING: {cause}; "
    said = [words for words in seen if not words.startswith("ENDED: ")]
    assert all(words.startswith(under_way) for words in said)
    steps = [words.removeprefix(under_way) for words in said]
    assert {step for step in steps if step == "parking" or "press Park" in step}, steps
    assert ending.isVisible()
    assert "has ended" in operator.window.statusBar().currentMessage()
