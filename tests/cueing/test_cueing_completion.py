"""States completed from every subset of fields, against a flight in closed form."""

import math

import numpy as np
import pytest
from cueing_samples import G, T
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation as Turn
from vehicle_samples import flight

from platform6dof.cueing.agreement import Judgement, agreements
from platform6dof.cueing.attitude import body_rates, rotated, to_body, vector_between
from platform6dof.cueing.completion import Completion
from platform6dof.cueing.parameters import CueingError
from platform6dof.cueing.record import completed
from platform6dof.cueing.record import recorded_motion as recorded
from platform6dof.cueing.vehicle import UNKNOWN, VehicleState

NO_ATTITUDE = (math.nan,) * 4
TIMES = np.arange(0.0, 12.0, T)  # pitch goes round twice, heading most of the way
FLIGHT = flight(TIMES)
FIELDS = {
    "f_m_s2": FLIGHT.force, "omega_rad_s": FLIGHT.omega, "domega_rad_s2": FLIGHT.domega,
    "attitude": FLIGHT.attitude, "v_m_s": FLIGHT.velocity, "position_m": FLIGHT.position,
}  # fmt: skip
SUBSETS = [
    ("f_m_s2", "omega_rad_s"),
    ("f_m_s2", "attitude"),
    ("attitude", "v_m_s"),
    ("attitude", "position_m"),
    ("omega_rad_s", "attitude", "v_m_s"),
    ("f_m_s2", "omega_rad_s", "domega_rad_s2", "attitude", "v_m_s", "position_m"),
]


def state(row, names):
    whole = {name: tuple(FIELDS[name][row].tolist()) for name in names}
    whole = {"f_m_s2": UNKNOWN, "omega_rad_s": UNKNOWN} | whole
    return VehicleState(row * T, **whole)  # pyright: ignore[reportArgumentType]


def live(names, head=(0.0, 0.0, 0.0), smooth_s=0.0):
    made = Completion(T, head, smooth_s)
    return [made.complete(state(row, names)) for row in range(len(TIMES))]


def column(states, name):
    return np.array([getattr(one, name) for one in states])


@pytest.mark.parametrize("names", SUBSETS, ids=" ".join)
def test_every_subset_gives_force_and_rates_in_every_cycle(names):
    states = live(names)
    force, omega = column(states, "f_m_s2"), column(states, "omega_rad_s")
    assert np.isfinite(force).all()
    assert np.abs(omega - FLIGHT.omega)[5:].max() < 2.5e-3  # half a cycle late
    late = 0.25 if "f_m_s2" not in names else 1e-12
    assert np.abs(force - FLIGHT.force)[5:].max() < late
    assert np.abs(column(states, "domega_rad_s2") - FLIGHT.domega)[5:].max() < 0.02


@pytest.mark.parametrize("names", SUBSETS, ids=" ".join)
def test_a_whole_record_is_completed_without_delay(names):
    keys = {"f_m_s2": "force", "omega_rad_s": "omega", "v_m_s": "velocity"}
    keys |= {"attitude": "attitude", "position_m": "position"}
    columns = {keys[name]: FIELDS[name] for name in names if name in keys}
    record = completed(recorded(len(TIMES), T, **columns))
    inner = slice(3, -3)
    assert np.abs(record.omega_rad_s - FLIGHT.omega)[inner].max() < 1e-5
    assert np.abs(record.f_m_s2 - FLIGHT.force)[inner].max() < 2e-3
    assert np.abs(record.domega_rad_s2 - FLIGHT.domega)[inner].max() < 1e-3
    if "attitude" in names:
        assert record.attitude == pytest.approx(FLIGHT.attitude, abs=1e-9)
    else:
        gap = Turn.from_quat(np.roll(record.attitude, -1, axis=1)).inv() * FLIGHT.turns
        assert gap.magnitude().max() < 1e-4


def test_angles_given_beyond_half_a_turn_make_no_peak():
    """As hosts tell them: heading jumps by 360°, roll and heading by 180° at the top of a loop."""
    angles = FLIGHT.turns.as_euler("ZYX")
    assert np.abs(np.diff(angles[:, 2])).max() > 3.0  # they do jump
    quaternions = np.roll(Turn.from_euler("ZYX", angles).as_quat(), 1, axis=1)
    made = Completion(T, smooth_s=0.0)
    rates = []
    for row, one in enumerate(quaternions):
        sign = -1.0 if row % 2 else 1.0  # the same rotation
        told_ = VehicleState(0.0, (0.0, 0.0, -G), UNKNOWN, attitude=tuple(sign * one))
        rates.append(made.complete(told_).omega_rad_s)
    assert np.abs(np.array(rates) - FLIGHT.omega)[2:].max() < 2.5e-3


def test_the_head_feels_what_its_lever_arm_adds():
    head = (0.5, -0.3, -1.2)
    keys = ("f_m_s2", "omega_rad_s", "attitude", "v_m_s", "position_m")
    record = completed(
        recorded(len(TIMES), T, force=FLIGHT.force, omega=FLIGHT.omega, attitude=FLIGHT.attitude,
             velocity=FLIGHT.velocity, position=FLIGHT.position), head,
    )  # fmt: skip
    place = FLIGHT.position + FLIGHT.turns.apply(head)  # the judge: the head's own way
    speed = np.gradient(place, T, axis=0)
    second = np.gradient(speed, T, axis=0)
    force = FLIGHT.turns.inv().apply(second - [0.0, 0.0, G])
    inner = slice(4, -4)
    assert record.f_m_s2[inner] == pytest.approx(force[inner], abs=1e-3)
    assert record.position_m == pytest.approx(place, abs=1e-9)
    assert record.v_m_s[inner] == pytest.approx(FLIGHT.turns.inv().apply(speed)[inner], abs=1e-3)
    states = live(keys, head)
    assert column(states, "f_m_s2")[5:] == pytest.approx(record.f_m_s2[5:], abs=0.03)
    assert column(states, "v_m_s") == pytest.approx(record.v_m_s, abs=1e-9)
    assert column(states, "position_m") == pytest.approx(place, abs=1e-9)


def test_a_speed_with_a_yaw_rate_is_enough():
    t = TIMES
    speed, yaw = 10.0 + 2.0 * np.sin(t), 0.2 * np.cos(0.5 * t)
    forward, lateral = 2.0 * np.cos(t), speed * yaw
    nothing = np.full(len(t), np.nan)
    record = completed(
        recorded(len(t), T, velocity=np.stack([speed, nothing, nothing], axis=1),
             omega=np.stack([nothing, nothing, yaw], axis=1))
    )  # fmt: skip
    wanted = np.stack([forward, lateral, np.full(len(t), -G)], axis=1)
    assert record.f_m_s2[2:-2] == pytest.approx(wanted[2:-2], abs=1e-4)
    assert record.omega_rad_s == pytest.approx(np.stack([0 * t, 0 * t, yaw], axis=1))
    made = Completion(T, smooth_s=0.0)
    rows = [
        made.complete(VehicleState(
            0.0, UNKNOWN, (math.nan, math.nan, r), v_m_s=(v, math.nan, math.nan)
        )).f_m_s2
        for v, r in zip(speed, yaw, strict=True)
    ]  # fmt: skip
    assert np.array(rows)[3:] == pytest.approx(wanted[3:], abs=0.01)


def test_derivatives_of_force_are_smoothed_as_asked():
    made = Completion(T, smooth_s=0.1)
    out = [
        made.complete(VehicleState(0.0, UNKNOWN, UNKNOWN, v_m_s=(2.0 * n * T, 0.0, 0.0))).f_m_s2[0]
        for n in range(500)
    ]
    t = np.arange(500) * T
    assert out == pytest.approx(2.0 * (1.0 - np.exp(-t / 0.1)), abs=0.03)


def test_reset_forgets_what_was():
    made = Completion(T, smooth_s=0.0)
    made.complete(state(0, ("attitude", "v_m_s")))
    made.reset()
    first = made.complete(state(2000, ("attitude", "v_m_s")))
    assert first.omega_rad_s == (0.0, 0.0, 0.0)
    weight = FLIGHT.turns[2000].inv().apply([0.0, 0.0, -G])
    assert first.f_m_s2 == pytest.approx(tuple(weight))


def test_a_source_that_gives_no_force_is_refused():
    with pytest.raises(CueingError, match="neither specific force nor velocity nor position"):
        Completion(T).complete(VehicleState(0.0, UNKNOWN, (0.0, 0.0, 0.1)))
    with pytest.raises(CueingError, match="neither specific force"):
        completed(recorded(100, T, omega=np.zeros((100, 3))))


@pytest.mark.parametrize("arguments", [
    (0.0,), (math.nan,), (T, (math.nan, 0.0, 0.0)), (T, (0.0, 0.0, 1e6)), (T, (0.0,) * 3, -1.0),
])  # fmt: skip
def test_impossible_settings_are_refused(arguments):
    with pytest.raises(CueingError):
        Completion(*arguments)


def test_numbers_missing_here_and_there_are_refused():
    force = FLIGHT.force.copy()
    force[7, 1] = np.nan
    with pytest.raises(CueingError, match="force, column 1: 1 of"):
        recorded(len(TIMES), T, force=force)


angle = st.floats(-7.0, 7.0)


@given(angle, angle, angle, angle, angle, angle)
def test_rotations_are_those_of_scipy(a, b, c, d, e, f):
    first, second = Turn.from_euler("ZYX", [a, b, c]), Turn.from_euler("ZYX", [d, e, f])
    q, p = (tuple(np.roll(one.as_quat(), 1).tolist()) for one in (first, second))
    turn = Turn.from_rotvec(vector_between(q, p))
    assert ((first * turn).inv() * second).magnitude() < 1e-7
    assert np.linalg.norm(vector_between(q, p)) <= math.pi + 1e-12
    assert rotated(q, (a, b, c)) == pytest.approx(first.apply((a, b, c)), abs=1e-12)
    assert to_body(q, (a, b, c)) == pytest.approx(first.inv().apply((a, b, c)), abs=1e-12)


def test_rates_of_angles_become_body_rates():
    roll, pitch, yaw, h = 0.4, -1.0, 2.0, 1e-6
    rates = (0.3, -0.2, 0.5)
    a, b = (
        Turn.from_euler("ZYX", np.array([yaw, pitch, roll]) + k * h * np.array(rates[::-1]))
        for k in (-1, 1)
    )
    assert body_rates(roll, pitch, rates) == pytest.approx(
        (a.inv() * b).as_rotvec() / (2 * h), abs=1e-8
    )


def ridden(**signs):
    """A car's record whose columns have the given factors."""
    t = np.arange(0.0, 60.0, 0.02)
    speed, yaw = 10.0 + 4.0 * np.sin(0.4 * t), 0.3 * np.sin(0.7 * t)
    pitch, roll = 0.1 * np.sin(0.9 * t), 0.1 * np.sin(1.1 * t)
    heading = np.cumsum(yaw) * 0.02
    turns = Turn.from_euler("ZYX", np.stack([heading, pitch, roll], axis=1))
    rng = np.random.default_rng(4)
    velocity = np.full((len(t), 3), np.nan)
    velocity[:, 0] = speed
    force = np.stack([1.6 * np.cos(0.4 * t), speed * yaw, np.zeros(len(t))], axis=1)
    force -= turns.inv().apply([0.0, 0.0, G])
    omega = (turns[:-1].inv() * turns[1:]).as_rotvec() / 0.02
    omega = np.vstack([omega, omega[-1]])
    force += rng.normal(0.0, 0.2, force.shape)
    for k, axis in enumerate(("f_x", "f_y", "f_z")):
        force[:, k] *= signs.get(axis, 1.0)
    for k, axis in enumerate(("p", "q", "r")):
        omega[:, k] *= signs.get(axis, 1.0)
    attitude = np.roll(turns.as_quat(), 1, axis=1)
    return recorded(len(t), 0.02, force=force, omega=omega, velocity=velocity, attitude=attitude)


AXES = ("f_x", "f_y", "f_z", "p", "q", "r")


def verdicts(motion):
    return {one.axis: one.judgement for one in agreements(motion)}


def test_an_aeroplane_that_banks_into_its_bends_is_not_wrong():
    """Its force to the side is 0, and its nose up is no acceleration: gravity takes them away."""
    flown = ridden()
    heading = np.cumsum(flown.omega[:, 2]) * 0.02
    bank = np.arctan(flown.velocity[:, 0] * np.gradient(heading, 0.02) / G)
    banked = Turn.from_euler("ZYX", np.stack([heading, 0.0 * bank, bank], axis=1))
    omega = (banked[:-1].inv() * banked[1:]).as_rotvec() / 0.02
    omega = np.vstack([omega, omega[-1]])
    faster = 1.6 * np.cos(0.4 * 0.02 * np.arange(len(bank)))
    force = np.stack([faster, 0.0 * bank, -G / np.cos(bank)], axis=1)
    found = verdicts(recorded(len(bank), 0.02, force=force, omega=omega, velocity=flown.velocity,
                          attitude=np.roll(banked.as_quat(), 1, axis=1)))  # fmt: skip
    assert found["f_y"] is Judgement.SILENT
    assert {found[axis] for axis in ("f_x", "f_z", "p", "q", "r")} == {Judgement.AGREES}


def test_what_fits_together_agrees():
    found = agreements(ridden())
    assert [one.axis for one in found] == list(AXES)
    assert {one.judgement for one in found} == {Judgement.AGREES}
    assert [one.slope for one in found] == pytest.approx([1.0] * 6, abs=0.05)


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize(("factor", "judgement"), [
    (-1.0, Judgement.WRONG_SIGN), (math.degrees(1.0), Judgement.WRONG_SCALE),
    (1 / G, Judgement.WRONG_SCALE),
])  # fmt: skip
def test_a_wrong_sign_or_unit_is_found_with_axis_and_slope(axis, factor, judgement):
    found = {one.axis: one for one in agreements(ridden(**{axis: factor}))}
    assert found[axis].judgement is judgement
    assert found[axis].slope == pytest.approx(factor, rel=0.05)
    assert axis in found[axis].text
    assert f"{found[axis].slope:.3g}" in found[axis].text
    if axis == "r" and factor < 0.0:
        assert found.pop("f_y").judgement is Judgement.WRONG_SIGN  # it is held against r
    others = {one.judgement for name, one in found.items() if name not in (axis, "f_y")}
    assert others == {Judgement.AGREES}


@pytest.mark.parametrize("unit_m_s", [1.0, 0.514444, 0.44704, 0.3048, 1.0 / 3.6])
def test_a_speed_in_another_unit_is_found(unit_m_s):
    """Of a car on level ground, in knots, mph, ft/s and km/h that a map takes for m/s."""
    t = np.arange(0.0, 60.0, 0.02)
    rng = np.random.default_rng(5)
    omega, force = np.zeros((len(t), 3)), rng.normal(0.0, 0.2, (len(t), 3))
    velocity = np.full((len(t), 3), np.nan)
    velocity[:, 0], omega[:, 2] = 15.0 + 5.0 * np.sin(0.3 * t), 0.15 * np.sin(0.4 * t)
    force += np.stack([1.5 * np.cos(0.3 * t), velocity[:, 0] * omega[:, 2], 0.0 * t - G], axis=1)
    read = recorded(len(t), 0.02, force=force, omega=omega, velocity=velocity / unit_m_s)
    right = Judgement.AGREES if unit_m_s == 1.0 else Judgement.WRONG_SCALE
    assert verdicts(read) == {"f_x": right, "f_y": right, "f_z": Judgement.AGREES}


def test_a_vehicle_that_stands_says_nothing():
    count = 2000
    still = recorded(
        count, 0.02, force=np.tile([0.01, 0.0, -G], (count, 1)), omega=np.zeros((count, 3)),
        velocity=np.zeros((count, 3)), attitude=np.tile([1.0, 0, 0, 0], (count, 1)),
    )  # fmt: skip
    assert set(verdicts(still).values()) == {Judgement.SILENT, Judgement.AGREES}
    assert verdicts(still)["f_x"] is Judgement.SILENT


@pytest.mark.parametrize(("f_z", "judgement"), [
    (-G, Judgement.AGREES), (G, Judgement.WRONG_SIGN), (-1.0, Judgement.WRONG_SCALE),
    (1.0, Judgement.WRONG_SIGN), (0.0, Judgement.NO_GRAVITY),
])  # fmt: skip
def test_gravity_is_found_with_its_sign_in_metres_and_in_g(f_z, judgement):
    force = np.tile([0.0, 0.0, f_z], (200, 1))
    (found,) = agreements(recorded(200, 0.02, force=force))
    assert (found.axis, found.judgement) == ("f_z", judgement)
    assert found.text.startswith(f"f_z: slope {-f_z / G + 0.0:.3g} on gravity")


def test_a_relation_that_is_none_is_not_called_too_little_motion():
    random = np.random.default_rng(5)
    force = np.column_stack([random.normal(size=(4000, 2)), np.full(4000, -G)])
    velocity = np.cumsum(random.normal(size=(4000, 3)), axis=0) * 0.02
    told_of = {
        one.axis: one for one in agreements(recorded(4000, 0.02, force=force, velocity=velocity))
    }
    assert told_of["f_x"].judgement is Judgement.SILENT
    assert "no relation" in told_of["f_x"].text
    assert f"{told_of['f_x'].correlation:.2f}" in told_of["f_x"].text


@pytest.mark.parametrize("heading", [0.0, 2.0])
def test_a_vehicle_told_by_places_alone_has_no_kick_as_it_is_first_seen(heading):
    whole, attitude = Completion(0.02), (math.cos(heading / 2), 0.0, 0.0, math.sin(heading / 2))
    way = 50.0 * math.cos(heading), 50.0 * math.sin(heading)
    for k in range(6):
        t_s = 0.02 * k
        place = way[0] * t_s, way[1] * t_s, -100.0
        seen = VehicleState(t_s, UNKNOWN, UNKNOWN, attitude=attitude, position_m=place)
        found = whole.complete(seen)
        assert found.f_m_s2 == pytest.approx((0.0, 0.0, -G), abs=1e-6), k
    assert found.v_m_s == pytest.approx((50.0, 0.0, 0.0), abs=1e-6)  # pyright: ignore[reportPossiblyUnboundVariable]
