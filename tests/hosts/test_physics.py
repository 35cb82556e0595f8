"""What a live host tells is held against physics: before it is followed, and while it is."""

import math
from dataclasses import replace

import numpy as np
import pytest
from case_files import case_file, datagrams_of
from physical_drive import drive

from hil.config.file_search import configs_dir
from hil.hosts.kind import Packet, Received
from hil.hosts.maps import load_map, mapped
from hil.hosts.watch.physics import Physics
from hil.hosts.watch.states import Cause, HostState
from hil.hosts.watch.watchdogs import HostWatch
from hil.hosts.wires.hcu1 import Hcu1Settings
from platform6dof.cueing.plausible import ForceFault, judge_force
from platform6dof.cueing.vehicle import UNKNOWN, VehicleFlags, VehicleState

G = 9.80665
RATE_HZ = 25.0
NAN = math.nan


def ridden(states, map_=None, period_s=1 / RATE_HZ):
    """A watch over states one a period, and each judgement with its time."""
    map_ = Hcu1Settings() if map_ is None else map_
    watch, seen = HostWatch(map_.means.means(), Physics(map_)), []
    for index, state in enumerate(states):
        t_s = index * period_s
        one = Received(Packet(mapped(replace(state, t_s=t_s), map_), index), t_s, t_s)
        seen.append((t_s, watch.step(t_s, [one])))
    return watch, seen


def standing(seconds=6.0, **changes):
    """A vehicle that stands, its engine running."""
    rng = np.random.default_rng(2)
    still = VehicleState(
        0.0, (0.0, 0.0, -G), (0.0, 0.0, 0.0), attitude=(1.0, 0.0, 0.0, 0.0),
        v_m_s=(0.0, 0.0, 0.0), position_m=(0.0, 0.0, 0.0),
    )  # fmt: skip
    still = replace(still, **changes)
    return [
        replace(still, f_m_s2=tuple(np.add(still.f_m_s2, 1e-3 * rng.normal(size=3))))
        for _ in range(round(seconds * RATE_HZ))
    ]


def turned(rate_rad_s, seconds=6.0):
    """At rest on a slope of the roll by so much."""
    half = 0.5 * rate_rad_s
    attitude = (math.cos(half), math.sin(half), 0.0, 0.0)
    down = (0.0, -G * math.sin(rate_rad_s), -G * math.cos(rate_rad_s))
    return standing(seconds, attitude=attitude, f_m_s2=down)


@pytest.mark.parametrize(("force", "fault", "keys"), [
    ((0.0, 0.0, G), ForceFault.WRONG_SIGN, 'force_axes = ["x", "-y", "-z"]'),
    ((G, 0.0, 0.0), ForceFault.WRONG_AXIS, 'force_axes = ["z", "y", "-x"]'),
    ((0.0, -G, 0.0), ForceFault.WRONG_AXIS, 'force_axes = ["x", "-z", "y"]'),
    ((0.0, 0.0, -1.0), ForceFault.WRONG_SCALE, "force_factor = 9.80665"),
    ((0.0, 0.0, 1.0), ForceFault.WRONG_SIGN, "force_factor = 9.80665"),
    ((0.0, 0.0, -32.174), ForceFault.WRONG_SCALE, "force_factor = 0.3048"),
    ((0.0, 0.0, 0.0), ForceFault.NO_GRAVITY, "force_bias_m_s2 = [0.0, 0.0, 9.80665]"),
    ((6e-12, 0.0, 1e-12), ForceFault.NO_GRAVITY, "byte order"),
    ((-7.5, 0.0, -6.5), ForceFault.ASKEW, "turn the sensor"),
])  # fmt: skip
def test_a_force_that_is_no_vehicles_is_not_engaged_and_the_key_is_named(force, fault, keys):
    watch, seen = ridden(standing(f_m_s2=force))
    assert {told.weight for _, told in seen} == {0.0}
    assert (seen[-1][1].state, seen[-1][1].cause) == (HostState.WAITING, Cause.FORCE)
    found = judge_force(force)
    assert found is not None
    assert found.fault is fault
    assert keys in watch.why


@pytest.mark.parametrize("axes", [("x", "-y", "-z"), ("z", "y", "-x"), ("-y", "x", "z")])
def test_the_key_that_is_named_ends_it(axes):
    """Whatever axes the sender has: what is told to be written makes gravity point down."""
    told = [sum(np.eye(3)[k] * -G for k in range(3) if axes[k].endswith("z"))]
    sensor = tuple(float(one) for one in told[0])
    watch, _ = ridden(standing(f_m_s2=sensor))
    if not watch.why:
        return
    text = watch.why.split("force_axes = [")[1].split("]")[0]
    named = tuple(one.strip().strip('"') for one in text.split(","))
    right = Hcu1Settings(force_axes=named)
    _, seen = ridden(standing(f_m_s2=sensor), right)
    assert seen[-1][1].state is HostState.LIVE


def test_a_vehicle_at_rest_on_a_slope_is_followed_and_one_whose_roll_is_turned_is_not():
    assert ridden(turned(0.5))[1][-1][1].state is HostState.LIVE
    wrong = [
        replace(one, attitude=(one.attitude[0], -one.attitude[1], 0, 0)) for one in turned(0.5)
    ]
    watch, seen = ridden(wrong)
    assert (seen[-1][1].state, seen[-1][1].cause) == (HostState.WAITING, Cause.FORCE)
    assert "roll or pitch" in watch.why


def test_inverted_flight_pulls_and_falls_are_followed():
    """Its attitude or its speed says that gravity is where it should be."""
    over = standing(attitude=(0.0, 1.0, 0.0, 0.0), f_m_s2=(0.0, 0.0, G))
    assert ridden(over)[1][-1][1].state is HostState.LIVE
    falling = [
        replace(one, f_m_s2=(0.1, 0.0, 0.05 * math.sin(at)), v_m_s=(30.0, 0.0, G * at / RATE_HZ),
                position_m=(30.0 * at / RATE_HZ, 0.0, 0.5 * G * (at / RATE_HZ) ** 2))
        for at, one in enumerate(standing(5.0))
    ]  # fmt: skip
    assert ridden(falling)[1][-1][1].state is HostState.LIVE
    pulling = [
        replace(one, f_m_s2=(0.0, 0.0, -3.0 * G * (at > 75) - G * (at <= 75)))
        for at, one in enumerate(standing(8.0))
    ]
    assert ridden(pulling)[1][-1][1].state is HostState.LIVE


def test_empty_packets_after_a_race_fade():
    race = drive(8.0, RATE_HZ, 1)
    last = race[-1]
    empty = [
        replace(last, f_m_s2=(0.0, 0.0, 0.0), omega_rad_s=(0.0, 0.0, 0.0), v_m_s=(0.0, 0.0, 0.0))
    ] * 100
    watch, seen = ridden(race + empty)
    live = [told.state for t_s, told in seen if 3.0 < t_s < 7.9]
    assert set(live) == {HostState.LIVE}
    after = [(t_s, told) for t_s, told in seen if told.state is HostState.FADING_OUT]
    assert after[0][0] - 8.0 < 2.0
    assert seen[-1][1].weight == 0.0
    assert (seen[-1][1].cause, seen[-1][1].state) == (Cause.FORCE, HostState.LOST)
    assert watch.why


@pytest.mark.parametrize(("changes", "said"), [
    ({"force_axes": ("-x", "y", "z")}, "f_x: slope -0.9"),
    ({"force_axes": ("x", "-y", "z")}, 'force_axes = ["x", "y", "z"]'),
    ({"force_axes": ("y", "x", "z")}, 'force_axes = ["x", "y", "z"]'),
    ({"rate_axes": ("x", "y", "-z")}, 'rate_axes = ["x", "y", "z"]'),
    ({"rate_factor": 1 / 57.29578}, "rate_factor = about "),
    ({"velocity_factor": 1.94384}, "on the change of speed"),
])  # fmt: skip
def test_a_wrong_slope_is_not_engaged_or_fades_within_seconds(changes, said):
    """Signs, swapped axes, degrees for radians, knots for m/s."""
    states = drive(16.0, RATE_HZ, 4)
    watch, seen = ridden(states, Hcu1Settings(**changes))
    followed_s = sum(told.weight for _, told in seen) / RATE_HZ
    assert followed_s < 6.5
    assert seen[-1][1].cause is Cause.SLOPE
    assert seen[-1][1].state in (HostState.LOST, HostState.AWAY, HostState.WAITING)
    assert said in watch.why
    _, seen = ridden(states)
    assert seen[-1][1].state is HostState.LIVE


def accelerating(states, wrong):
    """What a wire tells whose acceleration has no gravity, to which the attitude's is added."""
    told = []
    for one in states:
        w, x, y, z = one.attitude
        below = np.array([2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z])
        acceleration = (np.array(one.f_m_s2) + G * below) * wrong
        told.append(replace(one, f_m_s2=tuple(acceleration - G * below)))
    return told


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("wrong", [(-1, 1, 1), (1, -1, 1), (0.1, 0.1, 0.1), (1, 1, 1)])
def test_a_wrong_acceleration_is_not_hidden_by_the_gravity_that_is_added(seed, wrong):
    watch, seen = ridden(accelerating(drive(16.0, RATE_HZ, seed), wrong))
    if wrong == (1, 1, 1):
        assert seen[-1][1].state is HostState.LIVE, watch.why
        return
    assert seen[-1][1].cause is Cause.SLOPE
    assert seen[-1][1].state in (HostState.LOST, HostState.AWAY, HostState.WAITING)


def test_a_wrong_slope_that_is_known_before_it_is_followed_never_moves():
    """It is listened to while the platform stands: 8 s of motion, then a person engages."""
    map_ = Hcu1Settings(force_axes=("-x", "y", "z"))
    watch = HostWatch(map_.means.means(), Physics(map_))
    weights = []
    for index, state in enumerate(drive(24.0, RATE_HZ, 4)):
        t_s = state.t_s
        if index == round(10.0 * RATE_HZ):
            watch.reengage(t_s)
        one = Received(Packet(mapped(state, map_), index), t_s, t_s)
        weights.append((t_s, watch.step(t_s, [one]).weight))
    assert max(weight for t_s, weight in weights if t_s > 10.0) == 0.0


def test_a_wire_without_speed_and_attitude_is_judged_by_gravity_alone():
    less = [
        replace(
            one, attitude=(NAN,) * 4, v_m_s=UNKNOWN, position_m=UNKNOWN, omega_rad_s=(0, 0, 0.1)
        )
        for one in standing()
    ]
    assert ridden(less)[1][-1][1].state is HostState.LIVE
    nothing = [replace(one, f_m_s2=UNKNOWN) for one in standing()]
    assert ridden(nothing)[1][-1][1].state is HostState.LIVE


def test_a_vehicle_that_stands_is_followed_though_its_wire_tells_no_rates():
    told = replace(standing()[0], f_m_s2=UNKNOWN, omega_rad_s=UNKNOWN)
    assert ridden([told] * round(6.0 * RATE_HZ))[1][-1][1].state is HostState.LIVE
    turning = replace(told, omega_rad_s=(NAN, NAN, 0.1))
    seen = ridden([turning] * round(6.0 * RATE_HZ))[1]
    assert seen[-1][1].state is HostState.WAITING, "a picture that stands still"


def posed(*raw, bits=12):
    """Poses of a tool that stands, as its text."""
    kind, map_ = load_map(configs_dir() / "hosts" / "simtools.toml")
    map_ = map_.model_copy(update={"bits": bits})
    codec = kind.codec(map_)
    told = codec.decode((",".join(map(str, raw)) + "X").encode())
    assert isinstance(told, Packet)
    assert told.state.flags is VehicleFlags.POSE
    watch, states = HostWatch(map_.means.means(), Physics(map_)), []
    for index in range(150):
        t_s = index / RATE_HZ
        states.append(watch.step(t_s, [Received(told, t_s, t_s)]))
    return watch, states


@pytest.mark.parametrize("sent", [8, 9, 10, 11])
def test_fewer_bits_than_the_map_has_are_named_and_nothing_moves(sent):
    watch, states = posed(*[2 ** (sent - 1)] * 6)
    assert {one.weight for one in states} == {0.0}
    assert states[-1].cause is Cause.POSE
    assert f"bits = {sent}" in watch.why


def test_a_tool_that_stands_near_its_middle_is_followed():
    assert posed(*[2048] * 6)[1][-1].state is HostState.LIVE
    assert posed(2600, 1500, 2048, 2048, 2300, 2048)[1][-1].state is HostState.LIVE
    assert posed(*[512] * 6, bits=10)[1][-1].state is HostState.LIVE
    watch, states = posed(0, 0, 0, 0, 0, 0)
    assert states[-1].state is HostState.WAITING
    assert "-100 %" in watch.why


def played(case, map_name, beside=None):
    """A case's datagrams through its map, codec and watch."""
    folder = configs_dir() / "hosts" if beside is None else case_file(case, map_name).parent
    kind, map_ = load_map(folder / map_name)
    codec, watch = kind.codec(map_), HostWatch(map_.means.means(), Physics(map_))
    judged = []
    for t_s, data in datagrams_of(case):
        told = codec.decode(data)
        if isinstance(told, Packet):
            told = Received(Packet(mapped(told.state, map_), told.sequence), t_s, t_s)
        judged.append(watch.step(t_s, [told]))
    return watch, judged


def test_the_case_of_ten_bits_is_told_before_anything_moves():
    watch, judged = played("pose_ten_bits", "simtools.toml")
    assert {one.weight for one in judged} == {0.0}
    assert "bits = 10" in watch.why


def test_the_case_of_the_hosts_byte_order_is_read_as_it_was_sent():
    watch, judged = played("flightgear_byte_order_host", "host2.toml", beside=True)
    assert judged[-1].state in (HostState.LIVE, HostState.FADING_IN)
    assert not watch.why
    assert judged[-1].accepted[0].packet.state.f_m_s2 == pytest.approx((0.15, 0.0, -9.81), abs=0.02)


def test_the_case_of_body_rates_has_slope_1():
    watch, judged = played("flightgear_body_rates", "body_rates.toml", beside=True)
    assert judged[-1].state is HostState.LIVE
    assert not watch.why
