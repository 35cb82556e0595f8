"""Packets laid out by `struct` from the simulators' own headers, against emulators and codecs.

Members stand here in the order, with the types and units, that FlightGear's `net_fdm.hxx` and
`native_structs.cxx` and BeamNG's `protocols/motionSim.lua` and `protocols/outgauge.lua` say. The
bench's own frame is what `docs/hosts.md` says, from which others write their senders.
"""

import math
import re
import struct
import zlib
from dataclasses import replace

import numpy as np
import pytest
from flightgear_python.fdm_v24 import fdm_struct
from test_docs import ROOT

from hil.hosts.kind import Packet, Refused
from hil.hosts.wires.beamng import BeamNgCodec
from hil.hosts.wires.flightgear import FlightGearCodec
from hil.hosts.wires.hcu1 import Hcu1Codec
from sim.hosts.flight import scripted_drive, scripted_flight
from sim.hosts.kinds import wire_of
from sim.hosts.telemetry import Telemetry

FOOT, KNOT, G = 0.3048, 1852.0 / 3600.0, 9.80665
ENGINES, TANKS, WHEELS = 4, 4, 3
"""FG_MAX_ENGINES, FG_MAX_TANKS, FG_MAX_WHEELS."""
NET_FDM = {
    "version": "I", "padding": "I",
    "longitude": "d", "latitude": "d", "altitude": "d", "agl": "f", "phi": "f", "theta": "f",
    "psi": "f", "alpha": "f", "beta": "f",
    "phidot": "f", "thetadot": "f", "psidot": "f", "vcas": "f", "climb_rate": "f",
    "v_north": "f", "v_east": "f", "v_down": "f", "v_body_u": "f", "v_body_v": "f",
    "v_body_w": "f", "A_X_pilot": "f", "A_Y_pilot": "f", "A_Z_pilot": "f",
    "stall_warning": "f", "slip_deg": "f",
    "num_engines": "I", "eng_state": f"{ENGINES}I", "rpm": f"{ENGINES}f",
    "fuel_flow": f"{ENGINES}f", "fuel_px": f"{ENGINES}f", "egt": f"{ENGINES}f",
    "cht": f"{ENGINES}f", "mp_osi": f"{ENGINES}f", "tit": f"{ENGINES}f",
    "oil_temp": f"{ENGINES}f", "oil_px": f"{ENGINES}f",
    "num_tanks": "I", "fuel_quantity": f"{TANKS}f",
    "num_wheels": "I", "wow": f"{WHEELS}I", "gear_pos": f"{WHEELS}f", "gear_steer": f"{WHEELS}f",
    "gear_compression": f"{WHEELS}f",
    "cur_time": "I", "warp": "i", "visibility": "f",
    "elevator": "f", "elevator_trim_tab": "f", "left_flap": "f", "right_flap": "f",
    "left_aileron": "f", "right_aileron": "f", "rudder": "f", "nose_wheel": "f",
    "speedbrake": "f", "spoilers": "f",
}  # fmt: skip
"""class FGNetFDM, in network byte order."""
MOTION_SIM = {"format": "4s"} | {
    name + axis: "f"
    for name, axes in (
        *((one, "XYZ") for one in ("pos", "vel", "acc", "up")),
        *((one, ("Pos",)) for one in ("roll", "pitch", "yaw")),
        *((one, ("Vel",)) for one in ("roll", "pitch", "yaw")),
        *((one, ("Acc",)) for one in ("roll", "pitch", "yaw")),
    )
    for axis in axes
}
OUT_GAUGE = {
    "time": "I", "car": "4s", "flags": "H", "gear": "b", "plid": "b", "speed": "f", "rpm": "f",
    "turbo": "f", "engTemp": "f", "fuel": "f", "oilPressure": "f", "oilTemp": "f",
    "dashLights": "I", "showLights": "I", "throttle": "f", "brake": "f", "clutch": "f",
    "display1": "16s", "display2": "16s", "id": "i",
}  # fmt: skip


def read(members, order, data):
    """Values by name; an array is a tuple."""
    found, at = {}, 0
    for name, code in members.items():
        one = struct.Struct(order + code)
        values = one.unpack_from(data, at)
        found[name] = values if len(values) > 1 else values[0]
        at += one.size
    assert at == len(data), "every byte is said"
    return found


def written(members, order, values):
    """The packet of values by name; what is not said is 0."""
    data = b""
    for name, code in members.items():
        one = struct.Struct(order + code)
        many = len(one.unpack(bytes(one.size)))
        told = values.get(name, b"" if code.endswith("s") else (0,) * many if many > 1 else 0)
        data += one.pack(*told) if many > 1 else one.pack(told)
    return data


MOMENTS = [(scripted_flight(loop=True), t_s) for t_s in (0.0, 9.0, 22.0, 40.0, 51.0, 66.0, 75.0)]
MOMENTS += [(scripted_drive(), t_s) for t_s in (0.0, 7.0, 15.0, 31.0)]


def rotation(motion):
    """Body axes in north, east, down, as columns (Diebel 2006, equation 125)."""
    w, x, y, z = motion.attitude
    return np.array([
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ])  # fmt: skip


@pytest.mark.parametrize(("feed", "t_s"), MOMENTS)
def test_the_emulated_flightgear_fills_its_header_as_flightgear_does(feed, t_s):
    motion = feed.at(t_s)
    (packet,) = wire_of("flightgear", "", 60.0).pack(Telemetry(motion, 100.0 + t_s, 7))
    told = read(NET_FDM, ">", packet.data)
    turn = rotation(motion)
    near = {"rtol": 1e-6, "atol": 1e-5}
    assert (told["version"], told["padding"]) == (24, 0)
    assert told["altitude"] == pytest.approx(-motion.position_m[2])
    assert told["agl"] == pytest.approx(-motion.position_m[2], rel=1e-6, abs=1e-6)
    # the rotation of heading, pitch, roll, in that order; heading-deg is from 0 to 360
    assert 0.0 <= told["psi"] < 2.0 * math.pi + 1e-6
    phi, theta, psi = told["phi"], told["theta"], told["psi"]
    forward = (math.cos(theta) * math.cos(psi), math.cos(theta) * math.sin(psi), -math.sin(theta))
    np.testing.assert_allclose(forward, turn[:, 0], **near)
    below = (-math.sin(theta), math.sin(phi) * math.cos(theta), math.cos(phi) * math.cos(theta))
    np.testing.assert_allclose(below, turn[2], **near)
    # derivatives of these angles (Diebel 2006, equation 74)
    p, q, r = motion.omega_rad_s
    psidot = (q * math.sin(phi) + r * math.cos(phi)) / math.cos(theta)
    rates = (p + psidot * math.sin(theta), q * math.cos(phi) - r * math.sin(phi), psidot)
    steep = 1e-4 / max(abs(math.cos(theta)), 1e-3)
    got = (told["phidot"], told["thetadot"], told["psidot"])
    assert got == pytest.approx(rates, rel=1e-4, abs=steep)
    earth = turn @ np.array(motion.v_m_s) / FOOT
    got = (told["v_north"], told["v_east"], told["v_down"])
    np.testing.assert_allclose(got, earth, rtol=1e-6, atol=1e-4)
    assert told["climb_rate"] == pytest.approx(-earth[2], rel=1e-6, abs=1e-4)
    assert told["vcas"] * KNOT == pytest.approx(math.hypot(*motion.v_m_s), rel=1e-6)
    got = (told["v_body_u"], told["v_body_v"], told["v_body_w"])
    np.testing.assert_allclose(np.multiply(got, FOOT), motion.v_m_s, **near)
    u, v, w = motion.v_m_s
    if math.hypot(u, v, w) > 1.0:
        assert told["alpha"] == pytest.approx(math.atan2(w, u), abs=1e-6)
        assert math.sin(told["beta"]) == pytest.approx(v / math.hypot(u, v, w), abs=1e-6)
    force = (told["A_X_pilot"], told["A_Y_pilot"], told["A_Z_pilot"])
    np.testing.assert_allclose(np.multiply(force, FOOT), motion.f_m_s2, **near)
    assert (told["num_engines"], told["num_tanks"], told["num_wheels"]) == (4, 4, 3)
    assert told["eng_state"] == (2, 0, 0, 0), "one engine runs"
    assert told["rpm"][0] > 0.0
    assert told["rpm"][1:] == (0.0, 0.0, 0.0)
    assert told["wow"] == (int(motion.ground),) * 3
    assert told["gear_pos"] == (1.0,) * 3
    assert told["visibility"] > 0.0


def test_what_the_header_says_is_what_the_codec_reads():
    values = {
        "version": 24, "longitude": 0.24, "latitude": 0.89, "altitude": 500.0,
        "phi": 0.3, "theta": -0.2, "psi": 5.5, "phidot": 0.11, "thetadot": -0.07, "psidot": 0.05,
        "v_north": 120.0, "v_east": -80.0, "v_down": 10.0, "A_X_pilot": 4.0, "A_Y_pilot": -3.0,
        "A_Z_pilot": -33.0,
        # what is not the motion over ground may be anything
        "agl": 3e8, "alpha": 7.0, "vcas": 9.0, "climb_rate": -55.0, "v_body_u": 1.0,
        "v_body_v": 2.0, "v_body_w": 3.0, "num_engines": 3, "cur_time": 2**32 - 1, "warp": -9,
    }  # fmt: skip
    codec = FlightGearCodec()
    assert len(written(NET_FDM, ">", values)) == 408
    told = codec.decode(written(NET_FDM, ">", values))
    assert isinstance(told, Packet)
    state = told.state
    assert state.f_m_s2 == pytest.approx((4.0 * FOOT, -3.0 * FOOT, -33.0 * FOOT))
    cf, sf, ct, st = math.cos(0.3), math.sin(0.3), math.cos(-0.2), math.sin(-0.2)
    rates = (0.11 - 0.05 * st, -0.07 * cf + 0.05 * sf * ct, 0.07 * sf + 0.05 * cf * ct)
    assert state.omega_rad_s == pytest.approx(rates)  # Diebel 2006, equation 73
    turn = rotation(replace(MOMENTS[0][0].at(0.0), attitude=state.attitude))
    assert turn[2] == pytest.approx((-st, sf * ct, cf * ct))
    assert turn[:2, 0] == pytest.approx((ct * math.cos(5.5), ct * math.sin(5.5)))
    earth = np.array([120.0, -80.0, 10.0]) * FOOT
    assert state.v_m_s == pytest.approx(turn.T @ earth)
    moved = values | {"longitude": 0.24 + 1e-6, "latitude": 0.89 + 2e-6, "altitude": 507.0}
    north, east, down = codec.decode(written(NET_FDM, ">", moved)).state.position_m
    assert down == pytest.approx(-7.0)
    # 6 378 137 m and 1/298.257 (WGS 84): a radian of latitude there is 6 374 km, of longitude 4 023
    assert north == pytest.approx(2e-6 * 6.3742e6, rel=1e-3)
    assert east == pytest.approx(1e-6 * 4.0220e6, rel=1e-3)


def test_a_packet_that_flightgear_python_builds_is_understood():
    """As its users send one back to FlightGear, by its own names and units."""
    flight = scripted_flight()
    (first,) = wire_of("flightgear", "", 60.0).pack(Telemetry(flight.at(0.0), 0.0, 0))
    told = fdm_struct.parse(first.data)
    told.phi_rad, told.theta_rad, told.psi_rad = 0.2, 0.1, 3.0
    told.phidot_rad_per_s, told.thetadot_rad_per_s, told.psidot_rad_per_s = 0.0, 0.02, 0.0
    told.A_X_pilot_ft_per_s_per_s, told.A_Y_pilot_ft_per_s_per_s = 5.0, 6.0
    told.A_Z_pilot_ft_per_s_per_s = -31.0
    told.v_north_ft_per_s, told.v_east_ft_per_s, told.v_down_ft_per_s = 0.0, 0.0, 20.0
    state = FlightGearCodec().decode(fdm_struct.build(told)).state
    assert state.f_m_s2 == pytest.approx((5.0 * FOOT, 6.0 * FOOT, -31.0 * FOOT))
    assert state.omega_rad_s == pytest.approx((0.0, 0.02 * math.cos(0.2), -0.02 * math.sin(0.2)))
    down = 20.0 * FOOT
    below = (-math.sin(0.1), math.sin(0.2) * math.cos(0.1), math.cos(0.2) * math.cos(0.1))
    assert state.v_m_s == pytest.approx(np.multiply(below, down))


@pytest.mark.parametrize(("feed", "t_s"), MOMENTS)
def test_the_emulated_beamng_fills_its_structs_as_the_game_s_scripts_do(feed, t_s):
    motion = feed.at(t_s)
    packets = wire_of("beamng", "", 60.0).pack(Telemetry(motion, 100.0 + t_s, 7))
    moved, gauge = (one.data for one in packets)
    told = read(MOTION_SIM, "<", moved)
    turn = rotation(motion)
    near = {"rtol": 1e-6, "atol": 2e-5}

    def three(name, axes="XYZ"):
        return [told[name + axis] for axis in axes]

    def world(vector):
        north, east, down = turn @ np.array(vector)
        return [east, north, -down]

    assert told["format"] == b"BNG1"
    north, east, down = motion.position_m
    np.testing.assert_allclose(three("pos"), [east, north, -down], **near)
    np.testing.assert_allclose(three("vel"), world(motion.v_m_s), **near)
    np.testing.assert_allclose(three("up"), world((0.0, 0.0, -1.0)), **near)
    # "gravity not included": of a vehicle at rest all is 0
    forward, right, down = np.array(motion.f_m_s2) + turn.T @ np.array([0.0, 0.0, G])
    np.testing.assert_allclose(three("acc"), [right, forward, -down], **near)
    angles = [told[axis + "Vel"] for axis in ("roll", "pitch", "yaw")]
    np.testing.assert_allclose(angles, motion.omega_rad_s, **near)
    angles = [told[axis + "Acc"] for axis in ("roll", "pitch", "yaw")]
    np.testing.assert_allclose(angles, motion.domega_rad_s2, **near)
    # yaw is minus atan2(x, -y) of where the nose points, in east, north
    nose = world((1.0, 0.0, 0.0))
    yaw = -math.atan2(nose[0], -nose[1])
    assert math.remainder(told["yawPos"] - yaw, 2.0 * math.pi) == pytest.approx(0.0, abs=1e-5)
    assert math.sin(told["pitchPos"]) == pytest.approx(nose[2], abs=1e-5)

    assert BeamNgCodec(("y", "x", "-z")).decode(gauge) is Refused.NO_MOTION
    told = read(OUT_GAUGE, "<", gauge)
    assert (told["time"], told["car"], told["plid"], told["id"]) == (0, b"beam", 0, 0)
    assert told["flags"] == 16384 + 32768, "OG_KM and OG_BAR always; OG_TURBO with a turbo"
    assert told["gear"] >= 0
    assert told["speed"] == pytest.approx(math.hypot(*motion.v_m_s), rel=1e-6)
    assert told["oilPressure"] == 0.0, "hard-coded in outgauge.lua"
    lights = 2**1 + 2**2 + 2**5 + 2**6 + 2**8 + 2**9
    assert told["dashLights"] & lights == lights, "those that every vehicle has"
    assert told["showLights"] & ~told["dashLights"] == 0
    assert told["display1"] == told["display2"] == bytes(16)


def own_frame():
    """Of the page: the format, and what it says comes in which order."""
    text = " ".join((ROOT / "docs" / "hosts.md").read_text().split())
    said = text.partition("HCU1, version 1, little-endian, 112 bytes")[2]
    form = re.match(r"[^`]*`struct` format `(<[^`]+)`", said)
    order = ("the magic `HCU1`", "the version, 1", "flags (", "the length, 112",
             "a sequence number", "the time [ns]", "specific force [m/s\u00b2]",
             "body rates [rad/s]", "their derivatives [rad/s\u00b2]", "as a quaternion w, x, y, z",
             "body velocity [m/s]", "north, east, down [m]", "the CRC-32")  # fmt: skip
    places = [said.index(one) for one in order]
    assert places == sorted(places)
    assert form is not None
    return struct.Struct(form.group(1))


@pytest.mark.parametrize(("feed", "t_s"), MOMENTS)
def test_the_bench_s_own_frame_is_what_its_page_says(feed, t_s):
    motion, frame = feed.at(t_s), own_frame()
    shown = Telemetry(motion, 100.0 + t_s, 7, paused=True, replay=True)
    (packet,) = wire_of("hcu1", "binary", 60.0).pack(shown)
    magic, version, flags, length, sequence, time_ns, *numbers, crc = frame.unpack(packet.data)
    assert (magic, version, flags, length, sequence) == (b"HCU1", 1, 1 + 4 + 16, 112, 7)
    assert time_ns == round((100.0 + t_s) * 1e9)
    said = (motion.f_m_s2, motion.omega_rad_s, motion.domega_rad_s2, motion.attitude,
            motion.v_m_s, motion.position_m)  # fmt: skip
    assert numbers == pytest.approx([one for vector in said for one in vector], rel=1e-6, abs=1e-6)
    assert crc == zlib.crc32(packet.data[:108])


def test_a_frame_that_is_written_by_the_page_is_understood():
    numbers = (1.0, -2.0, -9.0, 0.1, 0.2, -0.3, 4.0, 5.0, 6.0, 0.5, -0.5, 0.5, 0.5, 10.0, 11.0,
               12.0, 100.0, -200.0, 300.0)  # fmt: skip
    frame = own_frame().pack(b"HCU1", 1, 8 + 16, 112, 9, 1_500_000_000, *numbers, 0)[:108]
    told = Hcu1Codec().decode(frame + struct.pack("<I", zlib.crc32(frame)))
    assert isinstance(told, Packet)
    state = told.state
    found = (*state.f_m_s2, *state.omega_rad_s, *state.domega_rad_s2, *state.attitude,
             *state.v_m_s, *state.position_m)  # fmt: skip
    assert found == pytest.approx(numbers)
    assert (told.sequence, state.t_s, state.flags.name) == (9, 1.5, "END")
