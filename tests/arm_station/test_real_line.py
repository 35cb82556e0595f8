"""Runs on a line in real time: the emulated robot is a process of its own on a pseudo-terminal."""

import threading
from contextlib import contextmanager
from dataclasses import replace
from queue import Queue

import numpy as np
import pytest
from live_bench import (
    PERIOD_S,
    judge_flip,
    live_plan,
    near_singular,
    place_of,
    shown_start,
    winding_plan,
)

from arm_driver.link_states import StreamResult
from hil.stations.arm.report.recording import ArmRecording
from hil.stations.arm.report.view import ArmView
from hil.stations.arm.run.bench import emulated_settings, prepare_plan, run_arm
from hil.stations.arm.run.runner import with_robot_at
from hil.stations.arm.run.wire import emulated_robot
from hil.timing.realtime import RealClock
from sim.devices.arm.server import run_arm_controller

pytestmark = pytest.mark.real_time

SHORT = {
    "kind": "profile", "frame": "base",
    "segment": [{"duration_s": 1.2, "velocity_m_s": [0.0, 0.0, 0.02]}],
}  # fmt: skip
SHORTEST = SHORT | {"segment": [{"duration_s": 0.35, "velocity_m_s": [0.0, 0.0, 0.005]}]}
APART_DEG = 3.6


@contextmanager
def robot_beside(prepared, **changes):
    """An emulated robot on a pseudo-terminal, in a thread of this process; yields its URL."""
    urls, over = Queue(), threading.Event()
    thread = threading.Thread(
        target=run_arm_controller, args=(replace(emulated_settings(prepared), **changes),),
        kwargs={"now_s": RealClock().now_s, "ready": urls.put, "stop": over.is_set, "pty": True},
    )  # fmt: skip
    thread.start()
    try:
        yield urls.get(timeout=60.0)
    finally:
        over.set()
        thread.join(5.0)
    assert not thread.is_alive()


def prepared_at(turned_deg):
    """The motion from a place near the wrist's singularity, two joints turned."""
    place = place_of(near_singular(turned_deg))
    start = {"position_m": list(place.position_m), "oat_deg": np.degrees(place.oat_rad).tolist()}
    mapping = {"start": start, "start_joints_deg": near_singular(turned_deg).tolist()}
    return prepare_plan(live_plan(SHORT, mapping=mapping, clock="real"))


def accuracy(path):
    """Error in space and in time as the report says it [m]."""
    found = ArmView.of(ArmRecording.open(path)).accuracy
    return found.in_space.largest_m, found.in_time.largest_m


def test_a_run_on_a_line_is_that_of_the_virtual_clock_and_says_what_its_robot_is(tmp_path):
    """Refused where the joints are others than planned; where they are not, run to the end."""
    planned, elsewhere = prepared_at(0.0), prepared_at(APART_DEG)
    with emulated_robot(elsewhere) as url:
        refused = run_arm(with_robot_at(planned, url), tmp_path)
        assert refused.end.result is StreamResult.REFUSED
        assert "where its joints are not those of the start" in refused.end.reason
        assert refused.end.waypoints == 0, "nothing was sent"
        result = run_arm(with_robot_at(elsewhere, url), tmp_path)
    end = result.end
    assert (end.result, end.waypoints) == (StreamResult.COMPLETED, len(elsewhere.steps)), end
    watched = end.report.supervision
    assert watched.period.mean_s == pytest.approx(PERIOD_S, abs=0.01)
    assert watched.following.measured >= len(elsewhere.steps)
    assert watched.following.share < 0.5
    assert end.report.simulated
    view = ArmView.of(ArmRecording.open(result.recorder.path))
    assert any("SIMULATED" in text for text in view.simulated)
    virtual = run_arm(replace(elsewhere, plan=on_virtual_clock(elsewhere.plan)), tmp_path)
    assert accuracy(result.recorder.path) == pytest.approx(accuracy(virtual.recorder.path))
    assert min(accuracy(result.recorder.path)) > 1e-6, "there is something to compare"


def on_virtual_clock(plan):
    scenario = plan.scenario.model_copy(update={"clock": "virtual"})
    return plan.model_copy(update={"scenario": scenario})


def test_a_robot_that_tells_no_place_is_moved_on_its_operators_word(tmp_path):
    """Without that it is refused with what to do; virtual: `test_arm_start.py`."""
    prepared = prepare_plan(live_plan(SHORTEST, clock="real"))
    start = shown_start(prepared)
    with robot_beside(prepared, feedback=False) as url:
        here = with_robot_at(prepared, url)
        refused = run_arm(here, tmp_path).end
        result = run_arm(here, tmp_path, robot_at=start)
    assert (refused.ok, refused.waypoints) == (False, 0)
    assert "where the robot is, is not known" in refused.reason
    assert "hil run --arm-at X,Y,Z,O,A,T" in refused.reason
    assert result.end.result is StreamResult.COMPLETED, result.end.reason
    assert result.end.waypoints == len(prepared.steps)
    (told,) = [event.message for event in result.events if "the start is agreed" in event.message]
    assert f"the operator says that the robot is at {start}" in told
    assert "nothing measured confirms the motion" in told


def test_a_wrist_wound_up_ends_the_stream_and_joint_6_is_named(monkeypatch, tmp_path):
    prepared = prepare_plan(winding_plan(monkeypatch, clock="real"))
    with robot_beside(prepared) as url:
        judge_flip(run_arm(with_robot_at(prepared, url), tmp_path).end)
