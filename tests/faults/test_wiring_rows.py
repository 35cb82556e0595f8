"""Rows 26 and 27: a rig that is described or wired wrongly, found before anything moves fast.

Each row's judgement is a function; the positive control patches the reaction out and the very same
judgement must object. What each step finds:

- configure: a scale that the drive itself contradicts, drives in each other's place by their serial
  numbers;
- homing, by the drive's own following window: a motor that moves another leg than the encoder
  reads. A position loop closed in that way cannot brake either: rods run on until the drive gives
  up or the rod meets its end, so this is what the wired power cut is for;
- the test move, by the gate: a drive that goes much too far;
- the test move, by its judgement: a leg that goes the wrong way;
- a person: two drives swapped with motor and encoder, and a drive that hardly moves and tells no
  scale of its own. Nothing on the wire differs then.
"""

import dataclasses
import math
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from bench_on_rack import BenchOnRack, leg_test

import hil.stations.platform.bench.bench
from drives.axes.axis import Axis
from drives.bank import DriveSetupError
from drives.canopen import setup as canopen_setup
from hil.recording.reader import Recording
from hil.stations.platform.cycle.supervisor import Outcome
from hil.stations.platform.drives import leg_test as commissioning
from hil.stations.platform.drives.leg_test import judge_test_move
from safety.feedback import FeedbackWatch
from safety.lag import LagWatch
from safety.modes import Mode, Request
from safety.verdict import Check

UNHEARD = nullcontext(SimpleNamespace(asked=None))
LEG, OTHER = 2, 5
SCREW = {(0x608F, 1): 10_000, (0x608F, 2): 1, (0x6092, 1): 10_000, (0x6092, 2): 1}
"""10000 increments a turn, 10000 um a turn: a million counts per metre, as the rig has them."""


MEASURED = "rig_settings.drives.canopen.scale_told=false"


def refused(bench, told=None):
    """Start the bench; return it with the words of the refusal.

    Args:
        bench: the bench.
        told: objects of the drives that tell their scale.
    """
    bench.rack.advance(bench.time.now)
    bench.watch_rods(0.1)
    for node in bench.rack.nodes:
        node.store.values.update(told or {})
    bench.started_m = tuple(rod.x_m for rod in bench.rack.rods)
    bench.bus.keep_sent = True
    try:
        bench.open()
        bench.refusal = ""
    except DriveSetupError as error:
        bench.refusal = str(error)
    return bench


def nothing_moved(bench):
    assert tuple(rod.x_m for rod in bench.rack.rods) == bench.started_m, "no rod has moved"
    assert bench.gated.mode is Mode.OFF
    ids = {frame.can_id & 0x780 for _, frame in bench.bus.sent}
    assert 0x080 not in ids, "not one SYNC was sent"
    assert not any(node.drive.motor.powered for node in bench.rack.nodes)


# Row 26: the scale is wrong by a thousand.


def play_row_26(counts_per_m):
    return refused(BenchOnRack(f"rig_settings.drives.counts_per_m={counts_per_m}"), SCREW)


def judge_row_26(bench, counts_per_m):
    assert "leg 1 (node 1)" in bench.refusal, "the first leg is refused"
    assert "1e+06 counts/m" in bench.refusal, "the drive's own value is told"
    assert f"the rig has {counts_per_m:g} counts/m" in bench.refusal, "the rig's value is told"
    nothing_moved(bench)


@pytest.mark.parametrize("counts_per_m", [1e3, 1e9, 1.002e6])
def test_row_26_encoder_scale_wrong(counts_per_m):
    judge_row_26(play_row_26(counts_per_m), counts_per_m)


def test_row_26_the_right_scale_is_accepted():
    assert play_row_26(1e6).refusal == ""


def test_row_26_positive_control(monkeypatch):
    monkeypatch.setattr(canopen_setup, "SCALE_TOLERANCE", math.inf)
    with pytest.raises(AssertionError, match="the first leg is refused"):
        judge_row_26(play_row_26(1e3), 1e3)


SILENT = {(index, sub): 1 for index in (0x608F, 0x6092) for sub in (1, 2)}


def test_row_26_a_drive_that_tells_no_scale_is_told_to_prove_none():
    bench = BenchOnRack()
    bench.rack.advance(bench.time.now)
    for node in bench.rack.nodes:
        node.store.values.update(SILENT)
    report = bench.open()
    assert all(
        "a scale of its own (608Fh, 6092h): slow moves until measured" in axis
        for axis in report.axes
    )
    assert report.scale_proved == (False,) * 6, "so that nothing but slow moves is allowed"


def run_test_move(monkeypatch, tmp_path, leg, nodes=None, *overrides):
    """Let the bench make the test move of a leg; the outcome, what was judged, and the rods."""
    plan, bank, rack = leg_test(leg, nodes, *overrides)
    monkeypatch.setattr(hil.stations.platform.bench.bench, "build_bank", lambda spec, now_s: bank)
    result = hil.stations.platform.bench.bench.run(plan, tmp_path, stop=UNHEARD)
    tests = judge_test_move(Recording.open(result.recorder.path))
    return result, tests, rack


def judge_too_far(result):
    assert result.outcome is Outcome.TRIPPED, f"{result.outcome}: {result.reason}"
    checks = {(violation.check, violation.leg) for _, violation in result.violations}
    found = {(Check.FOLLOWING, LEG), (Check.LAG, LEG)} & checks
    assert found, f"the gate names leg {LEG}, not {checks}"


TOO_FAR = {LEG: {"counts_per_m": 1e3}}
"""A drive that goes a thousand times too far, and tells no scale."""


def test_row_26_a_leg_that_goes_too_far_is_stopped_by_the_gate(monkeypatch, tmp_path):
    result, tests, _ = run_test_move(monkeypatch, tmp_path, LEG, TOO_FAR, MEASURED)
    judge_too_far(result)
    assert not [test for test in tests if not test.faults], "it has not passed"


def test_row_26_positive_control_of_the_gate(monkeypatch, tmp_path):
    monkeypatch.setattr(FeedbackWatch, "_judge_following", lambda *args: None)
    monkeypatch.setattr(LagWatch, "step", lambda *args: None)
    result, _, _ = run_test_move(monkeypatch, tmp_path, LEG, TOO_FAR, MEASURED)
    with pytest.raises(AssertionError, match=r"the gate names leg|Outcome"):
        judge_too_far(result)


# Row 27: legs swapped, or a sign reversed.

SERIALS = "rig_settings.drives.serial_numbers=[1001, 1002, 1003, 1004, 1005, 1006]"


def play_row_27_node_ids():
    """The node switches of two drives are swapped."""
    nodes = {LEG: {"node_id": OTHER}, OTHER: {"node_id": LEG}}
    return refused(BenchOnRack(SERIALS, nodes=nodes))


def judge_row_27_node_ids(bench):
    words = f"leg {LEG} (node {LEG}): serial number (1018h:4) is 1005, the rig has 1002"
    assert words in bench.refusal, "both serial numbers are told"
    nothing_moved(bench)


def test_row_27_swapped_node_ids_are_found_by_serial_numbers():
    judge_row_27_node_ids(play_row_27_node_ids())


def test_row_27_positive_control_of_serial_numbers(monkeypatch):
    identify = canopen_setup.NodeSetup.identify

    def blindly(self):
        self._settings = dataclasses.replace(self._settings, serial_numbers=(None,) * 6)
        return identify(self)

    monkeypatch.setattr(canopen_setup.NodeSetup, "identify", blindly)
    with pytest.raises(AssertionError, match="both serial numbers"):
        judge_row_27_node_ids(play_row_27_node_ids())


def play_row_27_homing(swapped):
    """Motors, or encoders, of two drives are swapped; the bench homes."""
    nodes = {LEG: {swapped: OTHER - 1}, OTHER: {swapped: LEG - 1}}
    bench = BenchOnRack(nodes=nodes)
    bench.open()
    bench.until(Mode.IDLE, Request.CONFIGURED).until(Mode.HOMING, Request.HOME)
    for _ in range(300):
        bench.cycle(None, Request.ENGAGE)
    return bench


def judge_row_27_homing(bench):
    """Seen by the drives' own following windows while they search their switches."""
    modes = {cycle.verdict.mode for cycle in bench.history}
    assert not modes & {Mode.STANDBY, Mode.ENGAGING, Mode.ENGAGED}, "it does not get on"
    assert bench.last.verdict.mode is Mode.FAULT
    faults = {(fault.leg, int(fault.value)) for fault in bench.last.verdict.faults}
    named = {leg for leg, code in faults if code in (0x8611, 0x8400)}
    assert {LEG, OTHER} <= named, f"both legs are named, not {faults}"
    # A loop that is closed over another rod cannot brake, so the rods must not get far.
    way_m = max(max(row) - min(row) for row in zip(*(c.true_m for c in bench.history), strict=True))
    assert way_m < 0.01, f"a rod ran away by {way_m * 1e3:.0f} mm"
    assert not any(bench.last.feedback.homed[leg - 1] for leg in (LEG, OTHER))


@pytest.mark.parametrize("swapped", ["motor", "encoder"])
def test_row_27_motors_or_encoders_swapped_do_not_pass_homing(swapped):
    judge_row_27_homing(play_row_27_homing(swapped))


def test_row_27_positive_control_of_running_away(monkeypatch):
    monkeypatch.setattr(Axis, "_watch_homing_speed", lambda *args: None)
    with pytest.raises(AssertionError, match="a rod ran away"):
        judge_row_27_homing(play_row_27_homing("motor"))


def test_row_27_positive_control_of_homing(monkeypatch):
    monkeypatch.setattr(FeedbackWatch, "_judge_status", lambda *args: None)
    with pytest.raises(AssertionError):
        judge_row_27_homing(play_row_27_homing("motor"))


REVERSED = {LEG: {"sign": -1}}


def judge_row_27_sign(tests):
    assert len(tests) == 1, "the leg has been led"
    words = "; ".join(tests[0].faults)
    assert "still on its home switch: it went the wrong way" in words, f"refused, not {words!r}"


def test_row_27_a_reversed_sign_is_found_by_the_test_move(monkeypatch, tmp_path):
    result, tests, _ = run_test_move(monkeypatch, tmp_path, LEG, REVERSED)
    assert result.ok
    judge_row_27_sign(tests)


def test_row_27_positive_control_of_the_test_move(monkeypatch, tmp_path):
    monkeypatch.setattr(commissioning, "_judge_switch", lambda *_, **__: ("left", ""))
    _, tests, _ = run_test_move(monkeypatch, tmp_path, LEG, REVERSED)
    with pytest.raises(AssertionError, match="refused, not"):
        judge_row_27_sign(tests)


SWAPPED_WITH_ENCODERS = {
    LEG: {"motor": OTHER - 1, "encoder": OTHER - 1},
    OTHER: {"motor": LEG - 1, "encoder": LEG - 1},
}


@pytest.mark.parametrize("nodes", [{}, SWAPPED_WITH_ENCODERS])
def test_row_27_a_sound_machine_passes_and_so_does_what_only_a_person_sees(
    monkeypatch, tmp_path, nodes
):
    result, tests, _ = run_test_move(monkeypatch, tmp_path, LEG, nodes)
    assert result.ok
    assert [test.faults for test in tests] == [()]
    assert tests[0].switch == "left"
