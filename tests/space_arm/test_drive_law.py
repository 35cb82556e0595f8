"""The laws of one drive: monotone, continuous, bounded, and solved exactly."""

import numpy as np
import pytest
from arms import shipped
from hypothesis import given
from hypothesis import strategies as st

from sim.world.space_arm.drive import (
    BACK_EMF,
    CLUTCH,
    DAMPING,
    ELASTIC,
    HALF_GAP,
    HOLD,
    INERTIA,
    LOOP_GAIN,
    RIGID_GAP,
    STIFFNESS,
    TORQUE_MAX,
    TORQUE_PER_VOLT,
    VOLTAGE_MAX,
    WINDING,
    DriveEffects,
    DriveModel,
    JointDrive,
    drive_table,
)
from sim.world.space_arm.kernels.drive_law import (
    free_rate,
    gear_torque,
    gear_torque_of_motor,
    torque_after,
)

ARM = shipped("bkm").arm()
TABLES = {model.value: drive_table(ARM.drives, model.effects) for model in DriveModel}
TABLES["clutch, rigid"] = drive_table(ARM.drives, DriveEffects(limits=True, clutch=True))
TABLES["clutch, gap"] = drive_table(ARM.drives, DriveEffects(backlash=True, clutch=True))
TABLES["clutch, spring"] = drive_table(ARM.drives, DriveEffects(elasticity=True, clutch=True))
TABLES["inductance, gap"] = drive_table(
    ARM.drives, DriveEffects(limits=True, inductance=True, backlash=True, clutch=True)
)
TABLES["inductance, spring"] = drive_table(
    ARM.drives, DriveEffects(limits=True, inductance=True, elasticity=True)
)
TABLES["friction, rigid"] = drive_table(ARM.drives, DriveEffects(friction=True))
joints = st.integers(0, 5)
rates = st.floats(-0.3, 0.3)
windups = st.floats(-2e-3, 2e-3)
steps_s = st.sampled_from([1e-6, 1e-4, 3e-3, 0.02])


def test_the_table_is_on_the_joints_side_of_the_gear():
    drive = ARM.drives[2]
    column = TABLES["e"][:, 2]
    ratio = drive.gear_ratio
    assert column[INERTIA] == ratio**2 * drive.motor_inertia_kg_m2
    assert column[LOOP_GAIN] == ratio * drive.speed_gain_v_s
    assert column[BACK_EMF] == ratio * drive.back_emf_v_s
    assert column[TORQUE_PER_VOLT] == pytest.approx(
        ratio * drive.torque_constant_nm_a / drive.resistance_ohm, rel=1e-15
    )
    assert column[TORQUE_MAX] == ratio * drive.torque_constant_nm_a * drive.current_max_a
    assert column[DAMPING] == drive.stiffness_nm_rad * drive.mesh_damping_s
    assert column[HOLD] == ELASTIC
    with pytest.raises(ValueError, match="read-only"):
        TABLES["e"][0, 0] = 1.0


def test_each_effect_can_be_had_alone():
    nothing = drive_table(ARM.drives, DriveEffects())
    for effect, row in {
        "limits": VOLTAGE_MAX, "backlash": HALF_GAP, "elasticity": DAMPING, "clutch": CLUTCH,
    }.items():  # fmt: skip
        with_it = drive_table(ARM.drives, DriveEffects(**{effect: True}))
        assert (with_it[row] != nothing[row]).all(), effect
    assert np.isinf(nothing[VOLTAGE_MAX]).all()
    assert not nothing[HALF_GAP].any()
    assert not nothing[WINDING].any()
    wound = drive_table(ARM.drives, DriveEffects(inductance=True))[WINDING]
    assert wound == pytest.approx([d.inductance_h / d.resistance_ohm for d in ARM.drives])


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf"), 0.0])
def test_a_drive_that_cannot_be_is_refused(value):
    given_ = {name: getattr(ARM.drives[0], name) for name in JointDrive.__slots__}
    with pytest.raises(ValueError, match="gear_ratio"):
        JointDrive(**given_ | {"gear_ratio": value})


@given(
    joints, rates, rates, st.floats(0.0, 0.1), st.sampled_from("abef"), steps_s,
    st.floats(-3e3, 3e3),
)  # fmt: skip
def test_a_motor_never_pulls_harder_when_it_runs_faster(j, w, command, faster, model, hs, before):
    table = TABLES[model]

    def torque(w):
        return torque_after(table, j, hs, before, w, command)

    slow, fall = torque(w)
    fast, _ = torque(w + faster)
    assert fast <= slow + 1e-9
    assert fall >= 0.0
    assert abs(slow) <= table[TORQUE_MAX, j]
    assert (slow - torque(w + 1e-9)[0]) / 1e-9 == pytest.approx(
        fall, rel=1e-3, abs=1.0
    ) or fall == 0.0 or torque(w + 1e-9)[1] == 0.0  # fmt: skip


@given(joints, windups, rates, st.floats(0.0, 1e-3), st.floats(0.0, 0.1))
def test_a_gear_never_passes_on_less_when_it_is_wound_up_more(j, windup, rate, more, faster):
    for name in ("d", "clutch, spring"):
        table = TABLES[name]
        torque, rise = gear_torque(table, j, windup, rate, 0.0)
        assert rise >= 0.0
        assert gear_torque(table, j, windup + more, rate + faster, 0.0)[0] >= torque - 1e-9
        mirrored = gear_torque(table, j, -windup, -rate, 0.0)[0]
        assert mirrored == -torque
        assert abs(torque) <= table[CLUTCH, j]
    torque, _ = gear_torque(TABLES["d"], j, windup, rate, 0.0)
    if abs(windup) <= TABLES["d"][HALF_GAP, j]:
        assert torque == 0.0, "nothing in the gap"
    else:
        assert torque * windup >= 0.0, "a face never pulls"


@pytest.mark.parametrize("rate", [-0.05, 0.0, 0.05])
def test_the_torque_of_a_contact_is_continuous(rate):
    table = TABLES["d"]
    windup = np.linspace(-4e-4, 4e-4, 8001)
    torque = np.array([gear_torque(table, 1, float(x), rate, 0.0)[0] for x in windup])
    steepest = 5.0 * table[STIFFNESS, 1] * (windup[1] - windup[0])
    assert np.abs(np.diff(torque)).max() <= steepest * 1.001


@given(
    st.sampled_from(sorted(TABLES)), joints, steps_s, rates, windups, rates, rates,
    st.sampled_from([-1.0, 0.0, 1.0]), st.sampled_from([0.0, 40.0, 1500.0]), st.floats(0.0, 0.05),
    st.floats(-1500.0, 1500.0),
)  # fmt: skip
def test_what_is_passed_on_obeys_the_motor_and_never_rises_with_the_link(
    name, j, hs, reference, windup, command, link, side, dry, faster, before
):
    table = TABLES[name]
    if table[HOLD, j] != ELASTIC:
        windup = side * table[HALF_GAP, j]
    args = (table, j, hs, reference, windup, command, dry)
    gap = table[HOLD, j] == RIGID_GAP
    guess = free_rate(table, j, hs, reference, command, dry, 0.0, before) if gap else reference
    torque, fall, w, follow = gear_torque_of_motor(*args, link, side, guess, before)
    assert 0.0 <= follow <= 1.0
    assert fall >= 0.0
    assert np.isfinite(torque)
    assert np.isfinite(w)
    motor, _ = torque_after(table, j, hs, before, w, command)
    friction = motor - torque - table[INERTIA, j] * (w - reference) / hs
    stiff = table[INERTIA, j] / hs + table[TORQUE_PER_VOLT, j] * table[LOOP_GAIN, j]
    scale = 1.0 + abs(motor) + abs(torque) + table[INERTIA, j] * abs(reference) / hs + 3e-5 * stiff
    assert abs(friction) <= dry + 1e-9 * scale
    if w > 1e-8:
        assert friction == pytest.approx(dry, abs=1e-9 * scale)
    if w < -1e-8:
        assert friction == pytest.approx(-dry, abs=1e-9 * scale)
    later, _, _, _ = gear_torque_of_motor(*args, link + faster, side, guess, before)
    assert later <= torque + 1e-9 * scale
    _, fall_near, w_near, follow_near = gear_torque_of_motor(
        *args, link + 1e-6, side, guess, before
    )
    if (fall_near, follow_near) == (fall, follow):  # on the same straight piece
        assert w_near - w == pytest.approx(follow * 1e-6, abs=1e-12)


def test_a_motor_that_sticks_stands_exactly():
    table = TABLES["e"]
    assert (
        gear_torque_of_motor(table, 0, 1e-3, 0.0, 2.2e-4, 0.0, 60.0, 0.0, 0.0, 0.01, 0.0)[2] == 0.0
    )
    assert gear_torque_of_motor(table, 0, 1e-3, 0.0, 4e-4, 0.0, 60.0, 0.0, 0.0, 0.01, 0.0)[2] < 0.0
