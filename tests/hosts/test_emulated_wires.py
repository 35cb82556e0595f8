"""What emulated simulators send, read by others: each wire tells the feed's motion."""

import hashlib
import hmac
import json
import math
import re
import struct
import zlib
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from remembered import remembered_flight
from wire_readers import WIRES, ask_xplane, flightgear

from sim.hosts.emulated_host import emulated_host
from sim.hosts.telemetry import Telemetry
from sim.hosts.vehicle_motion import AT_REST, GRAVITY_M_S2, acceleration, to_earth, to_euler
from sim.hosts.wires.hcu1 import Binary, Json
from sim.hosts.wires.xplane import References, Rows

FEED = remembered_flight(loop=True)
GOLDEN = bytes.fromhex(
    "48435531011070000700000015cd5b0700000000cdcccc3dcdcc4cbecdcc1cc1"
    + "00" * 24 + "0000803f" + "00" * 12 + "0000f041" + "00" * 29 + "408fc0d27c3efa"
)  # fmt: skip
GOLDEN_MOMENT = Telemetry(
    replace(AT_REST, f_m_s2=(0.1, -0.2, -9.8), v_m_s=(30, 0, 0), position_m=(0, 0, -1000)),
    0.123456789,
    7,
)


def play(wire, t_s, **more):
    """Packets of a wire till a time, read; OutGauge left out."""
    kind, version, read = WIRES[wire]
    host = emulated_host(kind, feed=FEED, version=version, **more)
    ask_xplane(host, more.get("rate_hz", 60))
    packets = [(arrival_s, read(data)) for arrival_s, data in host.due(t_s)]
    return [(arrival_s, one) for arrival_s, one in packets if one is not None]


@cache
def played(wire):
    """Those till the last time that is looked at, some of them at each of those times."""
    return play(wire, 75.1, rate_hz=10)


@pytest.mark.parametrize("wire", [wire for wire in WIRES if not wire.startswith("pose")])
@pytest.mark.parametrize("t_s", [2.0, 22.0, 40.0, 51.0, 66.0, 75.0])
def test_each_wire_tells_the_motion(wire, t_s):
    arrival_s, told = [one for one in played(wire) if one[0] <= t_s + 0.001 + 1e-9][-1]
    assert arrival_s == pytest.approx(t_s + 0.001)
    motion = FEED.at(t_s)
    phi, theta, psi = to_euler(motion.attitude)
    near: dict[str, Any] = {"rtol": 1e-5, "atol": 1e-5}
    if "f" in told:
        np.testing.assert_allclose(told["f"], motion.f_m_s2, **near)
    else:
        np.testing.assert_allclose(told["acceleration"], acceleration(motion), **near)
        east, north, up = told["up"]
        np.testing.assert_allclose(
            (north, east, -up), to_earth(motion.attitude, (0.0, 0.0, -1.0)), **near
        )
    if "omega" in told:
        np.testing.assert_allclose(told["omega"], motion.omega_rad_s, **near)
    if "domega" in told:
        np.testing.assert_allclose(told["domega"], motion.domega_rad_s2, **near)
    if "v" in told:
        np.testing.assert_allclose(told["v"], motion.v_m_s, **near)
    if "v_north" in told:
        north = to_earth(motion.attitude, motion.v_m_s)[0]
        assert told["v_north"] == pytest.approx(north, rel=1e-5, abs=1e-5)
    assert told["theta"] == pytest.approx(theta, abs=1e-5)
    for name, angle in (("phi", phi), ("psi", psi)):
        if name in told:
            assert math.remainder(told[name] - angle, 2 * math.pi) == pytest.approx(0.0, abs=1e-4)
    assert told["north"] == pytest.approx(motion.position_m[0], rel=1e-6, abs=1e-3)
    assert told["down"] == pytest.approx(motion.position_m[2], rel=1e-6, abs=1e-3)
    if "stamp" in told:
        assert told["stamp"] == pytest.approx(100.0 + t_s, abs=2e-5)


def test_rates_of_the_native_packet_are_those_of_the_angles():
    packets = play("flightgear", 51.0)
    before, now, after = (packets[-k][1] for k in (3, 2, 1))
    for index, name in enumerate(("phi", "theta", "psi")):
        quotient = (after[name] - before[name]) * 30.0
        assert now["euler_rates"][index] == pytest.approx(quotient, abs=2e-3)
    assert abs(now["euler_rates"][2]) > 0.1


def test_the_native_packet_is_408_bytes_that_flightgear_python_builds_alike():
    from flightgear_python.fdm_v24 import fdm_struct

    host = emulated_host("flightgear", feed=FEED)
    data = host.due(50.0)[-1][1]
    assert len(data) == 408
    assert fdm_struct.build(fdm_struct.parse(data)) == data
    assert flightgear(data)["ground"] == 0
    assert flightgear(host.due(50.0 + 70.0)[-1][1])["ground"] == 1


def test_poses_are_shares_of_their_spans():
    for wire, resolution in (("pose_text", 1 / 2047), ("pose_binary", 1 / 32767)):
        axes = play(wire, 51.0 + 0.001 + 1e-9)[-1][1]["axes"]
        motion = FEED.at(51.0)
        x, y, z = motion.f_m_s2
        phi, theta, _ = to_euler(motion.attitude)
        ten = math.radians(10.0)
        wanted = (0.08 * x, 0.08 * y, -0.08 * (z + GRAVITY_M_S2), 0.4 * phi / ten,
                  0.4 * theta / ten, 0.4 * motion.omega_rad_s[2] / ten)  # fmt: skip
        np.testing.assert_allclose(axes, np.clip(wanted, -1, 1), atol=resolution)
        assert axes[3] > 0.9


def signed_form(frame):
    """The same frame in version 2."""
    body = frame[:4] + b"\x02" + frame[5:-4]
    return body + struct.pack("<I", zlib.crc32(body))


def test_our_frame_has_the_golden_bytes():
    assert Binary().pack(GOLDEN_MOMENT)[0].data == GOLDEN
    assert struct.unpack("<I", GOLDEN[-4:])[0] == zlib.crc32(GOLDEN[:-4]) == 0xFA3E7CD2
    signed = Binary(b"secret").pack(GOLDEN_MOMENT)[0].data
    frame = signed_form(GOLDEN)
    nonce = bytes(16)  # before the bench has sent one
    assert signed == frame + hmac.new(b"secret", nonce + frame, hashlib.sha256).digest()[:16]
    told = json.loads(Json().pack(GOLDEN_MOMENT)[0].data)
    assert told["f"] == [0.1, -0.2, -9.8]
    assert (told["seq"], told["t_ns"], told["flags"]) == (7, 123456789, 16)


def test_x_plane_answers_who_asks_at_the_asked_rate_and_forgets_at_restart():
    host = emulated_host("xplane_rref", feed=FEED, rate_hz=60.0)
    assert host.due(1.0) == []
    ask_xplane(host, 20, peer="a:1")
    host.receive(b"RREF\0" + struct.pack("<ii", 60, 4) + b"sim/time/paused\0".ljust(400), "b:2")
    sent = host.sent(2.0015)
    assert sum(one.peer == "a:1" for one in sent) == 20
    assert [len(one.data) for one in sent if one.peer == "b:2"] == [13] * 60
    host.receive(b"RREF\0" + struct.pack("<ii", 0, 4) + b"sim/time/paused\0".ljust(400), "b:2")
    assert {one.peer for one in host.sent(3.0)} <= {"a:1", "b:2"}
    assert all(one.peer == "a:1" or one.arrival_s < 2.002 for one in host.sent(3.0))
    host.receive(b"RREF\0" + bytes(407) + b"x", "c:3")
    host.receive(b"RREF\0", "c:3")
    host.fault("restart")
    assert not any(one.arrival_s > 3.02 for one in host.sent(4.0))


def test_an_unknown_reference_gets_no_answer():
    wire = References("12", 60.0)
    wire.receive(b"RREF\0" + struct.pack("<ii", 60, 1) + b"sim/none\0".ljust(400), "")
    assert wire.pack(GOLDEN_MOMENT) == () or wire.pack(GOLDEN_MOMENT)[0].data[5:] == b""


def test_rows_of_x_plane_are_chosen_and_dropped():
    wire = Rows("12")
    wire.receive(b"USEL0" + struct.pack("<3i", 1, 16, 21), "")
    assert len(wire.pack(GOLDEN_MOMENT)[0].data) == 5 + 2 * 36
    wire.receive(b"DSEL0" + struct.pack("<1i", 16), "")
    assert len(wire.pack(GOLDEN_MOMENT)[0].data) == 5 + 3 * 36
    wire.receive(b"DSEL0" + b"xx", "")
    wire.receive(b"USEL0" + struct.pack("<3i", 4, 16, 17), "")
    assert wire.pack(GOLDEN_MOMENT) == ()


def test_versions_of_x_plane_differ_in_row_16_and_in_the_answer():
    spun = replace(GOLDEN_MOMENT, motion=replace(AT_REST, omega_rad_s=(0.1, 0.2, 0.3)))
    for version, rates in (
        ("11", (0.2, 0.1, 0.3)),
        ("12", tuple(map(math.degrees, (0.1, 0.2, 0.3)))),
    ):
        data = Rows(version).pack(spun)[0].data
        rows = {row[0]: row[1:] for row in struct.iter_unpack("<i8f", data[5:])}
        np.testing.assert_allclose(rows[16][:3], rates, rtol=1e-6)
    for version, head in (("11", b"RREFO"), ("12", b"RREF,")):
        wire = References(version, 60.0)
        wire.receive(b"RREF\0" + struct.pack("<ii", 60, 1) + b"sim/time/paused\0".ljust(400), "")
        assert wire.pack(GOLDEN_MOMENT)[0].data[:5] == head


@pytest.mark.parametrize(
    ("kind", "arguments", "says"),
    [
        ("flight", {}, "host kind 'flight': one of flightgear"),
        ("hcu1", {"version": "2"}, "version '2' of hcu1: binary, json"),
        ("hcu1", {"keys": 1}, "option 'keys' of hcu1: key"),
        ("hcu1", {"version": "json", "key": b"x"}, "only binary frames are signed"),
        ("beamng", {"rate_hz": math.nan}, "rate_hz = nan Hz: 1 to 2000 Hz is needed"),
        ("beamng", {"loss": 1.5}, "loss = 1.5"),
        ("beamng", {"jitter_s": -0.1}, "jitter_s = -0.1 s"),
        ("beamng", {"faults": ["pause@-1"]}, "pause: at_s = -1"),
        ("beamng", {"faults": ["crash@1"]}, "'crash'"),
        ("pose_template", {"bits": 40}, "bits = 40: 8 to 16"),
        ("pose_template", {"template": "x"}, "it needs <Axis1a>"),
        ("jsbsim", {"directive": "<x"}, "no XML"),
        ("jsbsim", {"directive": "<x/>"}, 'no <output type="SOCKET">'),
        ("jsbsim", {"directive": '<output type="SOCKET"/>'}, "no property"),
        ("jsbsim", {"directive": '<output type="SOCKET"><property>none</property></output>'},
         "property 'none'"),
        ("flightgear_generic", {"protocol": "<x"}, "no XML"),
        ("flightgear_generic", {"protocol": "<x/>"}, "no generic/output"),
        ("flightgear_generic", {"protocol": "<P><generic><output><chunk><node>/none</node>"
                                "</chunk></output></generic></P>"}, "node '/none'"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_with_what_would_be_right(kind, arguments, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        emulated_host(kind, feed=FEED, **arguments)
