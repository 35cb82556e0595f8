"""The slow test move: a sound machine passes, each way of wiring it wrongly is told."""

import dataclasses
import json
import math
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import hil.stations.platform.bench.bench
from drives.bank import BankReport
from hil.config.errors import RefusedError
from hil.config.file_search import configs_dir
from hil.config.settings import ConfigError
from hil.machines.rig.drive_reference import (
    LegReference,
    Reference,
    ScaleProof,
    rig_digest,
    save_reference,
)
from hil.machines.rig.drives import RigDrives
from hil.machines.rig.machine import load_rig
from hil.recording.reader import Recording
from hil.stations.platform.bench.bench import run
from hil.stations.platform.commissioning import reference_tools
from hil.stations.platform.drives.certificate import (
    Proofs,
    certificate_key,
    is_slow,
    lacking,
    write_certificate,
)
from hil.stations.platform.drives.leg_test import (
    FIRST_WAY_M,
    HOME_SWITCH,
    STEP_M,
    judge_test_move,
    leg_test_motion,
    switch_of,
)
from hil.stations.platform.drives.watchdog_proof import WatchdogProof
from hil.stations.platform.plan.scenario import plan_from_table

RIG_FILE = configs_dir() / "rigs" / "paper.toml"
RIG = load_rig(RIG_FILE)
UNHEARD = nullcontext(SimpleNamespace(asked=None))


def leg_test_plan(**motion):
    table = {
        "name": "leg_test",
        "rig": str(RIG_FILE),
        "rate_hz": 100.0,
        "motion": leg_test_motion(RIG) | motion,
    }
    return plan_from_table(table, Path("test"))


@pytest.fixture(scope="module")
def passed(tmp_path_factory) -> Recording:
    result = run(leg_test_plan(), tmp_path_factory.mktemp("runs"), stop=UNHEARD)
    assert result.ok
    return Recording.open(result.recorder.path)


def changed(recording: Recording, **columns) -> Recording:
    return dataclasses.replace(recording, columns={**recording.columns, **columns})


def test_a_ruler_proves_no_recording_of_hours(passed, monkeypatch):
    monkeypatch.setattr(reference_tools, "JOG_MOST_CYCLES", passed.cycles - 1)
    rig = RIG.model_copy(update={"name": passed.metadata["run"]["rig"]})
    told = f"a jog of one leg .* has {passed.cycles} cycles, at most {passed.cycles - 1} are"
    with pytest.raises(RefusedError, match=told):
        reference_tools.prove_scale_and_show(rig, passed.path, 0.01, "A. Person", as_json=True)


def faults_of(recording: Recording) -> dict[int, str]:
    return {t.leg: "; ".join(t.faults) for t in judge_test_move(recording) if t.faults}


def test_a_sound_machine_passes_with_a_way_of_its_own_for_each_leg(passed):
    tests = judge_test_move(passed)
    assert [test.leg for test in tests] == [1, 2, 3, 4, 5, 6]
    for test in tests:
        assert test.asked_m == pytest.approx(FIRST_WAY_M + (test.leg - 1) * STEP_M)
        assert test.measured_m == pytest.approx(test.asked_m, abs=1e-4)
        assert test.others_m < 1e-4
        assert test.switch == "not read"  # by the simulated bank
        assert test.faults == ()


def test_two_legs_whose_feedback_is_swapped_are_told(passed):
    measured = passed.column("measured_length_m").copy()
    measured[:, [1, 4]] = measured[:, [4, 1]]
    told = faults_of(changed(passed, measured_length_m=measured))
    assert set(told) == {2, 5}
    assert "moved 0.00 mm instead of 6.00 mm" in told[2]
    assert "leg 5 stirred by 6.00 mm" in told[2]


@pytest.mark.parametrize("factor", [-1.0, 0.001, 1000.0, 1.2])
def test_a_wrong_sign_or_scale_is_told_for_that_leg_alone(passed, factor):
    measured = passed.column("measured_length_m").copy()
    reference = RIG.cylinders.reference_length_m[2]
    measured[:, 2] = reference + factor * (measured[:, 2] - reference)
    told = faults_of(changed(passed, measured_length_m=measured))
    assert set(told) == {3}
    assert "instead of 7.00 mm" in told[3]


def switches(recording, leg=None, before=HOME_SWITCH, after=0):
    """The recording with home switches that were closed in homing, and one that is as it is."""
    inputs = np.zeros_like(recording.column("measured_length_m"))
    homing = recording.column("mode") == recording.modes.index("HOMING")
    assert homing.any()
    inputs[homing] = HOME_SWITCH
    if leg is not None:
        inputs[homing, leg - 1], inputs[~homing, leg - 1] = before, after
    return changed(recording, measured_inputs_bits=inputs)


def seen(recording, **rig):
    drives = RIG.drives.model_copy(update=rig)
    tests = judge_test_move(recording, switch_of(RIG.model_copy(update={"drives": drives})))
    return {test.leg: test.switch for test in tests}, {t.leg for t in tests if t.faults}


def test_a_switch_that_closed_in_homing_and_opened_in_the_move_was_left(passed):
    assert seen(switches(passed)) == (dict.fromkeys(range(1, 7), "left"), set())


def test_a_leg_that_stays_on_its_home_switch_went_the_wrong_way(passed):
    told = faults_of(switches(passed, 4, HOME_SWITCH, HOME_SWITCH))
    assert set(told) == {4}
    assert "still on its home switch" in told[4]


def test_a_switch_that_never_closed_was_not_found_and_was_not_left(passed):
    """Seen with a method that takes any place: "left ok" for a switch that never closed."""
    told = faults_of(switches(passed, 2, 0, 0))
    assert set(told) == {2}
    assert "never closed" in told[2]
    states, faulty = seen(switches(passed, 2, 0, 0))
    assert states[2] == "never closed"
    assert faulty == {2}


def test_a_rig_whose_homing_looks_for_no_switch_has_none_to_leave(passed):
    for rig in ({"homing": "absolute"}, {"homing_method": 33}):
        assert seen(switches(passed, 2, 0, 0), **rig) == (dict.fromkeys(range(1, 7), "none"), set())
    limit = switches(passed, 2, 1, 0)
    assert seen(limit, homing_method=17)[0][2] == "left", "17 looks for the limit switch, bit 0"
    assert seen(limit, homing_method=21)[0][2] == "never closed"


def test_a_platform_that_is_elsewhere_is_told(passed):
    pose = passed.column("reached_pose").copy()
    pose[:, 0] += 0.005
    told = faults_of(changed(passed, reached_pose=pose))
    assert set(told) == {1, 2, 3, 4, 5, 6}
    assert "5.0 mm" in told[1]


def test_measured_values_that_are_no_numbers_do_not_pass(passed):
    nothing = np.full_like(passed.column("measured_length_m"), math.nan)
    assert set(faults_of(changed(passed, measured_length_m=nothing))) == {1, 2, 3, 4, 5, 6}
    pose = np.full_like(passed.column("reached_pose"), math.nan)
    assert set(faults_of(changed(passed, reached_pose=pose))) == {1, 2, 3, 4, 5, 6}


def test_a_setpoint_that_is_repeated_on_the_way_is_no_dwell(passed):
    asked = passed.column("asked_length_m").copy()
    engaged = passed.column("mode") == passed.modes.index("ENGAGED")
    away = np.abs(asked - asked[engaged][0]).max(axis=1) * engaged
    for row in np.flatnonzero((away > 0.001) & (np.abs(np.diff(away, prepend=0.0)) > 1e-6))[::9]:
        asked[row] = asked[row - 1]
    assert len(judge_test_move(changed(passed, asked_length_m=asked))) == 6


def test_a_leg_without_room_outside_goes_inside():
    cylinders = RIG.cylinders.model_copy(update={"reference_length_m": (0.67,) * 5 + (1.37,)})
    rig = RIG.model_copy(update={"cylinders": cylinders})
    way = leg_test_motion(rig, (6,))["to"][0]["offsets_m"]
    assert way[5] < 0.0
    assert way[:5] == [0.0] * 5


REPORT = BankReport(
    "drives", "slcan:x", False, ("axis",) * 6, tuple("abcdef"), scale_proved=(True,) * 6
)
STOPPED = WatchdogProof(90_000, (50_000,) * 6, (52_000,) * 6)


@pytest.fixture
def proofs(passed, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return Proofs(judge_test_move(passed), STOPPED, "A. Person")


def missing(proofs, report=REPORT, rig=RIG):
    """What a certificate of these proofs lacks."""
    write_certificate(rig, report, proofs, stamp="now")
    return "; ".join(lacking(rig, report))


def test_a_certificate_holds_for_this_rig_and_these_drives_alone(proofs, tmp_path):
    assert "slow test move" in "; ".join(lacking(RIG, REPORT))
    path = write_certificate(RIG, REPORT, proofs, stamp="now")
    assert path.is_relative_to(tmp_path)
    assert lacking(RIG, REPORT) == []
    other_drives = dataclasses.replace(REPORT, identities=tuple("abcdeX"))
    assert lacking(RIG, other_drives)
    turned = RIG.drives.model_copy(update={"sign": (1, 1, 1, 1, 1, -1)})
    assert lacking(RIG.model_copy(update={"drives": turned}), REPORT)
    swapped = RIG.drives.canopen.model_copy(update={"node_ids": (2, 1, 3, 4, 5, 6)})
    rewired = RIG.drives.model_copy(update={"canopen": swapped})
    key = certificate_key(RIG.model_copy(update={"drives": rewired}), REPORT)
    assert key != certificate_key(RIG, REPORT)


@pytest.mark.parametrize("spoil", ["", "{}", '{"tests": []}', '{"identities": ["a"]}', "[]"])
def test_a_certificate_that_proves_nothing_is_none(proofs, spoil):
    path = write_certificate(RIG, REPORT, proofs, stamp="now")
    path.write_text(spoil)
    assert "slow test move" in "; ".join(lacking(RIG, REPORT))


def test_a_test_move_with_a_fault_or_of_nobody_proves_nothing(proofs):
    bad = (dataclasses.replace(proofs.tests[0], faults=("moved",)), *proofs.tests[1:])
    assert "slow test move" in missing(dataclasses.replace(proofs, tests=bad))
    assert "slow test move" in missing(dataclasses.replace(proofs, tests=proofs.tests[:5]))
    nobody = dataclasses.replace(REPORT, identities=("",) * 6)
    assert "slow test move" in missing(proofs, nobody)


def test_there_is_no_full_speed_without_the_word_of_a_witness(proofs):
    """Motor and encoder cables that are both swapped are invisible from the wire."""
    told = missing(dataclasses.replace(proofs, observer=""))
    assert "both cables swapped" in told
    assert "nobody can see from the wire" in told
    path = write_certificate(RIG, REPORT, proofs, stamp="now")
    table = json.loads(path.read_text())
    assert table["witness"]["by"] == "A. Person"
    assert "look right on the wire" in table["witness"]["question"]
    for answer in (False, "yes", None):
        table["witness"]["answer"] = answer
        path.write_text(json.dumps(table))
        assert "both cables swapped" in "; ".join(lacking(RIG, REPORT))


@pytest.mark.parametrize(
    ("rest_us", "moving_us", "words"),
    [
        ((50_000, -1, *(50_000,) * 4), (52_000,) * 6, "leg 2 did not stop by itself at rest"),
        ((50_000,) * 6, (*(52_000,) * 5, 91_000), "leg 6 stopped 91 ms after the last frame at 5"),
        ((50_000,) * 6, (), "did not come to fall silent at 5 mm/s"),
    ],
)
def test_there_is_no_full_speed_unless_each_drive_stopped_by_itself(
    proofs, rest_us, moving_us, words
):
    proof = WatchdogProof(90_000, rest_us, moving_us)
    assert any(words in failure for failure in proof.failures)
    told = missing(dataclasses.replace(proofs, watchdog=proof))
    assert "stops by itself when the bench is silent" in told
    assert "stops by itself" in missing(dataclasses.replace(proofs, watchdog=None))


def test_there_is_no_full_speed_with_a_scale_that_nobody_proved(proofs):
    untold = dataclasses.replace(REPORT, scale_proved=(True, False, True, False, True, True))
    told = missing(proofs, untold)
    assert "the scale of leg 2, 4" in told
    assert "hil drives reference" in told
    proof = ScaleProof("with a ruler", 1.001, "A. Person", "now")
    reference = Reference(rig_digest(RIG))
    for leg, who in ((2, "b"), (4, "X")):
        reference = reference.with_leg(leg, LegReference(who, (), proof))
    save_reference(RIG, reference)
    assert "the scale of leg 4:" in missing(proofs, untold), "made with another drive"
    save_reference(RIG, reference.with_leg(4, LegReference("d", (), proof)))
    assert missing(proofs, untold) == ""
    path = write_certificate(RIG, untold, proofs, stamp="now")
    scale = json.loads(path.read_text())["scale"]
    assert scale[0] == "told by the drive"
    assert scale[1] == "measured with a ruler by A. Person, now"


def test_an_index_pulse_alone_is_no_reference(proofs):
    drives = RIG.drives.model_copy(update={"homing_method": 33})
    told = missing(proofs, rig=RIG.model_copy(update={"drives": drives}))
    assert "homing method 33 finds the next index pulse" in told


@pytest.mark.parametrize("method", [35, 37, -1, -4, 0, 15, 31])
def test_a_method_that_takes_any_place_is_no_homing(method):
    with pytest.raises(ConfigError, match="takes the place where a rod happens to stand"):
        RigDrives.build({"homing_method": method}, "rig")


def test_what_is_slow_is_so_in_metres_per_second_too():
    plan = leg_test_plan()
    fast = plan.rig.slow_moves.model_copy(update={"speed_m_s": 1.0})
    rig = plan.rig.model_copy(update={"slow_moves": fast})
    assert not is_slow(plan.model_copy(update={"rig": rig}))


def test_legs_that_are_led_slowly_are_parked_as_slowly():
    share = leg_test_plan().scenario.motion.speed
    slow = hil.stations.platform.bench.bench.machine_of(leg_test_plan()).slow_moves
    assert slow.speed_m_s == pytest.approx(RIG.slow_moves.speed_m_s * share)


def test_only_slow_leg_moves_may_go_without_a_certificate():
    assert is_slow(leg_test_plan())
    assert not is_slow(leg_test_plan(speed=0.5))
