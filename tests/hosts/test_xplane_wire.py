"""X-Plane's wires against datagrams laid out here, from what its users measured and published.

MatrixPilot's HILSIM takes g_side, g_axil, g_nrml for gravity less acceleration along left wing,
forward, down; ArduPilot's SIM_XPlane takes row 4 for specific force forward, right, up.
"""

import math
import random
import struct

import campaign
import pytest
from case_files import datagrams_of
from scipy.spatial.transform import Rotation

from hil.hosts.kind import Packet, Refused
from hil.hosts.wires.xplane_data import DataCodec
from hil.hosts.wires.xplane_rref import PATHS, RrefCodec
from sim.hosts.emulated_host import emulated_host
from sim.hosts.flight import scripted_flight

G = 9.80665
FORCES, PLACE = "sim/flightmodel/forces/", "sim/flightmodel/position/"


def measured(force, rates, angles, place, speed, time_s, paused=0.0):
    """Data references of a vehicle: force [m/s²], rates [rad/s], angles [deg], local axes [m]."""
    udb_x, udb_y, udb_z = -force[1], force[0], force[2]  # left wing, forward, down
    told = {
        f"{FORCES}g_side": -udb_x / G, f"{FORCES}g_axil": -udb_y / G, f"{FORCES}g_nrml": -udb_z / G,
        "sim/time/paused": paused, "sim/time/is_in_replay": 0.0, "sim/time/sim_speed": 1.0,
        "sim/time/total_running_time_sec": time_s, "sim/flightmodel/failures/onground_any": 0.0,
    }  # fmt: skip
    told |= {f"{PLACE}{name}rad": rate for name, rate in zip("PQR", rates, strict=True)}
    told |= dict(zip((f"{PLACE}{one}" for one in ("phi", "theta", "psi")), angles, strict=True))
    told |= {f"{PLACE}local_{axis}": one for axis, one in zip("xyz", place, strict=True)}
    told |= {f"{PLACE}local_v{axis}": one for axis, one in zip("xyz", speed, strict=True)}
    return told


def answers(told, indices):
    """One datagram of X-Plane with some of the values asked for."""
    return b"RREF," + b"".join(struct.pack("<if", one, told[PATHS[one]]) for one in indices)


def drawn(chance, time_s):
    """A vehicle's force, rates, angles, place and velocity, at random."""
    force, rates, angles, place, speed = (
        tuple(chance.uniform(-most, most) for _ in range(3)) for most in (30.0, 2.0, 89.0, 5e3, 2e2)
    )
    return force, rates, angles, place, speed, time_s


def agrees(packet, force, rates, angles, place, speed, time_s):
    """Whether a packet is of this vehicle at this moment."""
    state = packet.state
    turn = Rotation.from_euler("ZYX", [math.radians(one) for one in reversed(angles)])
    body = turn.inv().apply((-speed[2], speed[0], -speed[1]))
    here = (-place[2], place[0], -place[1])
    close, (w, x, y, z) = pytest.approx, state.attitude
    return (
        state.f_m_s2 == close(force, abs=1e-4) and state.omega_rad_s == close(rates, abs=1e-6)
        and state.position_m == close(here, abs=2e-3) and state.v_m_s == close(body, abs=1e-3)
        and (Rotation.from_quat((x, y, z, w)).inv() * turn).magnitude() < 1e-5
        and state.t_s == close(time_s, abs=1e-3)
    )  # fmt: skip


def test_a_push_forward_is_an_axial_load_below_zero():
    """A car that brakes by 0.5 g has g_axil = +0.5, and 0.2 g to the right has g_side = +0.2."""
    told = measured((-0.5 * G, 0.2 * G, -G), (0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, -20), 5.0)
    assert told[f"{FORCES}g_axil"] == 0.5
    assert told[f"{FORCES}g_side"] == 0.2
    packet = RrefCodec(60).decode(answers(told, range(20)))
    assert isinstance(packet, Packet)
    assert packet.state.f_m_s2 == pytest.approx((-0.5 * G, 0.2 * G, -G), abs=1e-6)


def test_a_row_of_the_data_output_has_the_axial_load_forward():
    rows = {4: (0, 0, 0, 0, 1.0, -0.5, 0.2, 0), 16: [0] * 8, 17: [0] * 8}
    data = b"DATA*" + b"".join(struct.pack("<i8f", row, *one) for row, one in rows.items())
    packet = DataCodec("12").decode(data)
    assert isinstance(packet, Packet)
    assert packet.state.f_m_s2 == pytest.approx((-0.5 * G, 0.2 * G, -G), abs=1e-6)


def test_the_level_turn_in_three_datagrams_is_understood():
    codec, seen = RrefCodec(60), []
    for stamp, data in datagrams_of("xplane_rref_in_parts"):
        told = codec.decode_at(data, stamp)
        assert isinstance(told, Packet) or told is Refused.PART
        seen += [told.state] if isinstance(told, Packet) else []
    assert len(seen) == 300
    for state in seen:
        assert state.f_m_s2 == pytest.approx((0.0, 0.0, -11.3237), abs=1e-3)
        assert state.omega_rad_s[2] == pytest.approx(0.0490, abs=1e-4)
        assert math.hypot(*state.v_m_s) == pytest.approx(100.0, abs=1e-3)


def split(chance, things):
    """Things in a few runs, in order or not."""
    things = list(things)
    if chance.random() < 0.5:
        chance.shuffle(things)
    parts, begin = [], 0
    while begin < len(things):
        many = chance.choice((1, 2, 3, 7, 20))
        parts.append(things[begin : begin + many])
        begin += many
    return parts


@pytest.mark.campaign
def test_answers_in_any_parts_are_whole_or_dropped_and_never_of_two_moments():
    chance = random.Random(31_001)
    codec, understood, whole = RrefCodec(60), 0, 0
    for index in range(campaign.count(10_000, least=400)):
        at_s = index / 60.0
        vehicle = drawn(chance, at_s)
        told = measured(*vehicle)
        lossy, complete = chance.random() < 0.3, True
        for part in split(chance, range(20)):
            if lossy and chance.random() < 0.3:
                complete = False
                continue
            at_s += chance.uniform(0.0, 2e-4)
            packet = codec.decode_at(answers(told, part), at_s)
            if isinstance(packet, Packet):
                understood += 1
                assert agrees(packet, *vehicle), index
            else:
                assert packet is Refused.PART
        whole += complete
    assert understood == whole


@pytest.mark.campaign
@pytest.mark.parametrize("rate_hz", [20, 60])
def test_parts_that_are_late_by_less_than_half_a_period_are_never_of_two_moments(rate_hz):
    """Each part is lost, or comes at a time of its own, also behind parts of the next moment."""
    chance = random.Random(31_003)
    codec, came, vehicles = RrefCodec(rate_hz), [], []
    for index in range(campaign.count(10_000, least=400)):
        sent_s = index / rate_hz
        vehicles.append(drawn(chance, sent_s))
        told = measured(*vehicles[-1])
        late_s = chance.choice((0.01, 0.3, 0.49)) / rate_hz
        for part in split(chance, range(20)):
            if chance.random() < 0.9:
                came.append((sent_s + chance.uniform(0.0, late_s), answers(told, part)))
    understood = 0
    for at_s, data in sorted(came):
        packet = codec.decode_at(data, at_s)
        if isinstance(packet, Packet):
            understood += 1
            sent = int(at_s * rate_hz)
            assert agrees(packet, *vehicles[sent]), sent
    assert understood > 0.1 * len(vehicles)


@pytest.mark.campaign
@pytest.mark.parametrize("version", ["11", "12"])
def test_rows_in_any_parts_are_whole_or_dropped_and_never_of_two_moments(version):
    chance = random.Random(31_002)
    codec, understood, whole = DataCodec(version), 0, 0
    for index in range(campaign.count(5_000, least=200)):
        at_s = index / 60.0
        force, (p, q, r), (phi, theta, psi), place, speed, time_s = drawn(chance, at_s)
        turns = [math.degrees(one) for one in (p, q, r)] if version == "12" else [q, p, r]
        rows = {
            1: [0, 0, time_s], 3: [9.0] * 8, 21: [*place, *speed], 99: [7.0] * 8,
            4: [0, 0, 0, 0, -force[2] / G, force[0] / G, force[1] / G],
            16: turns, 17: [theta, phi, psi],
        }  # fmt: skip
        lossy, complete = chance.random() < 0.3, {4, 16, 17}
        for part in split(chance, rows):
            if lossy and chance.random() < 0.3:
                complete = complete - set(part)
                continue
            at_s += chance.uniform(0.0, 2e-4)
            data = b"DATA*" + b"".join(
                struct.pack("<i8f", row, *rows[row], *[0.0] * (8 - len(rows[row]))) for row in part
            )
            packet = codec.decode_at(data, at_s)
            if isinstance(packet, Packet):
                understood += 1
                state = packet.state
                assert state.f_m_s2 == pytest.approx(force, abs=1e-4), index
                assert state.omega_rad_s == pytest.approx((p, q, r), abs=1e-6)
                here = (-place[2], place[0], -place[1])
                unknown = math.isnan(state.position_m[0])
                assert unknown or state.position_m == pytest.approx(here, abs=2e-3)
            else:
                assert packet in (Refused.PART, Refused.NO_MOTION)
        whole += complete == {4, 16, 17}
    assert understood == whole


@pytest.mark.parametrize("answers_each", [1, 3, 20])
def test_an_emulated_x_plane_that_answers_in_parts_is_followed(answers_each):
    """Each part comes at its own time, as the emulated network has it."""
    flight = scripted_flight()
    host = emulated_host("xplane_rref", feed=flight, answers=answers_each)
    codec, seen = RrefCodec(60), 0
    for request in codec.requests(0.0):
        host.receive(request)
    for at_s, data in host.due(20.0):
        told = codec.decode_at(data, at_s)
        if isinstance(told, Packet):
            wanted = flight.at(round(60.0 * (at_s - 0.001)) / 60.0).f_m_s2
            assert told.state.f_m_s2 == pytest.approx(wanted, abs=1e-4)
            seen += 1
    assert seen >= 1200
