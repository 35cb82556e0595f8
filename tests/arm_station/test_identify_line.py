"""Identification over a serial line: the emulated controller is a process on a pseudo-terminal."""

import numpy as np
import pytest
from moves_bench import READY_DEG, RM01
from stroke_bench import PERIOD_S, STEP_S, Drawn

import hil.stations.arm.moves.strokes
from arm_driver.fit.identification import identify
from hil.ipc.child import DEVNULL, PIPE, start_child
from hil.stations.arm.moves.approach import joints_by_operator
from hil.stations.arm.moves.move_operators import AlwaysHeld
from hil.stations.arm.moves.session import Choice, session
from hil.stations.arm.moves.stroke_drive import drive_strokes
from hil.stations.arm.moves.strokes import prove_strokes, with_any_delay

pytestmark = pytest.mark.real_time

OTHER = Drawn(delay_s=0.06, half_s=0.07, bandwidth_rad_s=85.0)
FEW = ((2, 2.0), (2, -1.94), (3, 0.6), (3, -0.66))
"""Two speeds in two senses: the least that determines an axis; waypoints, and way in steps."""
WITHIN_S = 10.0


@pytest.fixture
def line():
    """URL of an emulated controller that is not like the robot's file says."""
    command = ["-m", "hil.cli", "arm", "emulate", "--pty", "--end-with-input"]
    command += [f"--tool={1e3 * RM01.tool_m:g}", f"--start={','.join(map(str, READY_DEG))}"]
    command += [f"--delay={OTHER.delay_s}", f"--blend={2.0 * OTHER.half_s}"]
    command += [f"--bandwidth={OTHER.bandwidth_rad_s}"]
    process = start_child(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)
    try:
        yield process.stdout.readline().decode().strip()
        process.stdin.close()
        assert process.wait(WITHIN_S) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_delay_blend_and_lag_of_a_controller_on_a_line(line, monkeypatch, tmp_path):
    monkeypatch.setattr(hil.stations.arm.moves.strokes, "AXES", ("x",))
    monkeypatch.setattr(
        hil.stations.arm.moves.strokes,
        "plan_strokes",
        lambda step: [(n, way * step) for n, way in FEW],
    )
    robot = with_any_delay(RM01)
    with session(Choice(robot, line, "real", joints_deg=np.array(READY_DEG))) as opened:
        strokes = prove_strokes(robot, joints_by_operator(robot, opened.place, READY_DEG))
        driven = drive_strokes(
            opened, strokes, AlwaysHeld(), tmp_path, baud=9600, say=lambda text: None
        )
    assert driven.ok, driven.last.end
    assert driven.spoilt == ()
    assert driven.last.end.report.simulated
    found = identify(driven.strokes, period_s=PERIOD_S, step_s=STEP_S)
    assert found.path_delay_s.value == pytest.approx(OTHER.path_delay_s, rel=0.02)
    assert found.blend_s.value == pytest.approx(2.0 * OTHER.half_s, rel=0.05)
    assert found.axes["x"].lag_s.value == pytest.approx(OTHER.lag_s, rel=0.05)
