"""Codecs against encoders that share no code with them: a flight on every wire, and junk."""

import json
import math
import random
import struct
from dataclasses import replace

import campaign
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from hil.config.errors import ConfigError
from hil.config.file_search import configs_dir
from hil.hosts.kind import Packet, Refused
from hil.hosts.maps import MapSettings, installed_hosts, load_map, mapped
from platform6dof.cueing.vehicle import REST, UNKNOWN, VehicleFlags, VehicleState
from sim.hosts.flight import scripted_flight
from sim.hosts.kinds import wire_of
from sim.hosts.telemetry import Telemetry

HOSTS = configs_dir() / "hosts"
FLIGHT = scripted_flight()
WIRES = {
    "hcu1": ("hcu1", "binary"),
    "flightgear": ("flightgear", ""),
    "flightgear_binary": ("flightgear_generic", "binary"),
    "flightgear_ascii": ("flightgear_generic", "ascii"),
    "xplane_rref": ("xplane_rref", "12"),
    "xplane11_data": ("xplane_data", "11"),
    "xplane12_data": ("xplane_data", "12"),
    "beamng": ("beamng", ""),
    "jsbsim": ("jsbsim", ""),
}
FIELDS = ("f_m_s2", "omega_rad_s", "domega_rad_s2", "v_m_s")


def codec_of(name):
    return codec_of_file(HOSTS / f"{name}.toml")


def codec_of_file(path):
    kind, settings = load_map(path)
    return kind, kind.codec(settings)


def encoder_of(name):
    kind, version = WIRES[name]
    options = {}
    if kind == "flightgear_generic":
        options["protocol"] = (HOSTS / f"hil_{version}.xml").read_text()
    elif kind == "jsbsim":
        options["directive"] = (HOSTS / "hil_jsbsim.xml").read_text()
    return wire_of(kind, version, 60.0, **options)


def datagrams(name, telemetry, codec, wire):
    for request in codec.requests(telemetry.time_s):
        wire.receive(request, "bench")
    return [one.data for one in wire.pack(telemetry)]


def motion_of(name, telemetry, codec, wire):
    """The datagram that tells a motion: JSBSim's labels go before, OutGauge comes behind."""
    sent = datagrams(name, telemetry, codec, wire)
    return next(data for data in sent if not data.startswith(b"<LABELS>"))


def decoded(codec, data):
    """What a good datagram tells."""
    told = codec.decode(data)
    assert isinstance(told, Packet), told
    return told


@pytest.mark.parametrize("name", WIRES)
def test_what_a_vehicle_does_is_what_is_decoded(name):
    kind, codec = codec_of(name)
    wire, first, seen = encoder_of(name), None, 0
    for index in range(600):
        t_s = 0.1 * index
        motion = FLIGHT.at(t_s)
        for data in datagrams(name, Telemetry(motion, t_s, index), codec, wire):
            told = codec.decode(data)
            if told is Refused.NO_MOTION:
                assert name == "beamng" or (name == "jsbsim" and data.startswith(b"<LABELS>"))
                continue
            assert isinstance(told, Packet), (name, t_s, told)
            seen += 1
            state = told.state
            for field in FIELDS:
                if field in kind.fields:
                    wanted = getattr(motion, field)
                    assert getattr(state, field) == pytest.approx(wanted, rel=1e-5, abs=2e-5), field
                else:
                    assert all(map(math.isnan, getattr(state, field)))
            inner = abs(np.dot(state.attitude, motion.attitude))
            assert inner == pytest.approx(1.0, abs=1e-9)
            here = np.subtract(state.position_m, motion.position_m)
            first = here if first is None else first
            far_m = math.hypot(*motion.position_m[:2])
            # The emulated earth is a ball, so that its degrees are 0.7 % off those of WGS 84.
            ball = 0.01 if "flightgear" in name or name == "jsbsim" else 0.0
            assert here == pytest.approx(first, abs=ball * far_m + 0.02)
            if "t_s" in kind.fields:
                assert state.t_s == pytest.approx(t_s, abs=1e-5)
            if "sequence" in kind.fields:
                assert told.sequence == index
            if "flags.GROUND" in kind.fields:
                assert bool(state.flags & VehicleFlags.GROUND) == motion.ground
    assert seen >= 599


@pytest.mark.parametrize("name", WIRES)
def test_a_wire_tells_what_its_kind_says_and_nothing_else(name):
    kind, codec = codec_of(name)
    wire, motion = encoder_of(name), FLIGHT.at(20.0)
    said = {
        "flags.PAUSED": {"paused": True},
        "flags.REPLAY": {"replay": True},
        "flags.RESET": {"reset": True},
        "flags.END": {"end": True},
    }
    for name_of, change in said.items():
        told = decoded(codec, motion_of(name, Telemetry(motion, 20.0, 7, **change), codec, wire))
        flag = VehicleFlags[name_of.partition(".")[2]]
        assert bool(told.state.flags & flag) == (name_of in kind.fields), name_of
    told = decoded(codec, motion_of(name, Telemetry(motion, 20.0, 7), codec, wire))
    assert math.isfinite(told.state.t_s) == ("t_s" in kind.fields)
    assert (told.sequence is not None) == ("sequence" in kind.fields)
    slow = Telemetry(motion, 20.0, 7, speed_factor=0.5)
    factor = decoded(codec, motion_of(name, slow, codec, wire)).state.speed_factor
    if "speed_factor" in kind.fields:
        assert factor == 0.5
    elif name != "hcu1":  # which has no such field, and is only ever sent at 1
        assert math.isnan(factor)


@pytest.mark.parametrize(("name", "version"), [("simtools", "text"), ("flypt", "binary")])
def test_poses_of_a_template_are_what_the_tool_means(name, version):
    _, codec = codec_of(name)
    wire = wire_of("pose_template", version, 60.0)
    top = 4095 if name == "simtools" else 65535
    for axis in range(6):
        for share, number in ((1.0, top), (-1.0, 0)):
            numbers = [round(top / 2)] * 6
            numbers[axis] = number
            if name == "simtools":
                data = (",".join(map(str, numbers)) + "X").encode()
            else:
                data = b"\xff\xffF1" + struct.pack(">6H", *numbers) + b"!"
            state = decoded(codec, data).state
            assert state.flags == VehicleFlags.POSE
            place = [0.0] * 3
            if axis < 3:
                place[axis] = share * 0.1 * (-1.0 if axis == 2 else 1.0)  # up is less down
            assert state.position_m == pytest.approx(place, abs=0.2 / top)
            turn = [0.0] * 3
            if axis >= 3:
                turn[axis - 3] = math.sin(0.5 * share * 0.1745)
            assert state.attitude[1:] == pytest.approx(turn, abs=0.2 / top)
    for index in range(200):  # what the emulated tool sends is understood
        assert isinstance(
            codec.decode(wire.pack(Telemetry(FLIGHT.at(0.3 * index), 0.0, index))[0].data), Packet
        )


def rref(**changed):
    values = {0: 0.5, 1: -0.1, 2: 1.0, **dict.fromkeys(range(3, 20), 0.0), 17: 1.0} | changed
    return b"RREF," + b"".join(struct.pack("<if", int(k), v) for k, v in values.items())


def fdm(version=24, length=408, **floats):
    data = bytearray(408)
    struct.pack_into(">2I3d", data, 0, version, 0, 0.2, 0.9, 100.0)
    for offset, value in floats.items():
        struct.pack_into(">f", data, int(offset[1:]), value)
    return bytes(data[:length])


LINE = "1.5," + ",".join(["0"] * 19) + "\n"
ROW = "1.5,0.5," + ",".join(["0"] * 8) + ",0.25," + ",".join(["0"] * 9) + "\n"


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("flightgear", b"", Refused.LENGTH),
        ("flightgear", fdm(version=25), Refused.VERSION),
        ("flightgear", fdm(length=407), Refused.LENGTH),
        ("flightgear", fdm(_36=math.nan), Refused.NOT_FINITE),
        ("flightgear", fdm(_108=math.inf), Refused.NOT_FINITE),
        ("flightgear", fdm(_36=1e4), Refused.RANGE),
        ("xplane_rref", b"BECN\0", Refused.MAGIC),
        ("xplane_rref", b"RREF,1234567", Refused.LENGTH),
        ("xplane_rref", b"RREF," + struct.pack("<if", 0, 1.0) * 3, Refused.PART),
        ("xplane_rref", b"RREF," + struct.pack("<if", 20, 1.0) * 3, Refused.LENGTH),
        ("xplane_rref", rref(**{"3": math.nan}), Refused.NOT_FINITE),
        ("xplane_rref", rref(**{"7": 1e5}), Refused.RANGE),
        ("xplane12_data", b"DATA*" + b"\0" * 35, Refused.LENGTH),
        ("xplane12_data", b"DATA*" + struct.pack("<i8f", 4, *[0] * 8), Refused.PART),
        ("xplane12_data", b"DATA*" + struct.pack("<i8f", 3, *[0] * 8), Refused.NO_MOTION),
        ("beamng", b"BNG2" + b"\0" * 84, Refused.MAGIC),
        ("beamng", b"BNG1" + b"\0" * 85, Refused.LENGTH),
        ("beamng", b"\0\0\0\0beam" + b"\0" * 84, Refused.NO_MOTION),
        ("beamng", b"BNG1" + struct.pack("<21f", *[math.nan] * 21), Refused.NOT_FINITE),
        ("beamng", b"BNG1" + struct.pack("<21f", *[0.0] * 21), Refused.RANGE),
        ("flightgear_ascii", b"1,2,3\n", Refused.TEXT),
        ("flightgear_ascii", LINE.replace("1.5", "1_5").encode(), Refused.TEXT),
        ("flightgear_ascii", LINE.replace("1.5", "nan").encode(), Refused.NOT_FINITE),
        ("flightgear_ascii", LINE.replace("1.5", "\xe9").encode("latin1"), Refused.TEXT),
        ("flightgear_binary", b"\0" * 50, Refused.LENGTH),
        ("simtools", b"0,0,0,0,0,4096X", Refused.RANGE),
        ("simtools", b"0,0,0,0,0,-1X", Refused.TEXT),
        ("simtools", b"0,0,0,0,0,0X\n", Refused.TEXT),
        ("jsbsim", b"1.0," * 19 + b"1.0\n1.0", Refused.TEXT),
        ("jsbsim", ROW.replace("0.5", "nan").encode(), Refused.NOT_FINITE),
        ("jsbsim", ROW.replace("0.5", "1e12").encode(), Refused.RANGE),
        ("jsbsim", ROW.replace("0.25", "14.0").encode(), Refused.RANGE),
        ("jsbsim", ROW.replace("0.5", "0_5").encode(), Refused.TEXT),
        ("jsbsim", ROW.replace("0.5", "0.5,0.5").encode(), Refused.TEXT),
        ("jsbsim", b" " * 5000, Refused.LENGTH),
        ("jsbsim", b"<LABELS> ,Time,P,Q,R\n", Refused.VERSION),
        ("flypt", b"\xff\xffF1" + b"\0" * 11 + b"!", Refused.TEXT),
    ],
)
def test_what_cannot_be_is_refused_by_kind(name, data, why):
    assert codec_of(name)[1].decode(data) is why


@pytest.mark.parametrize(("roll", "pitch", "heading"), [
    (0.0, 0.0, 0.0), (0.4, 0.2, 1.0), (-0.3, -0.5, 4.0), (2.9, 0.1, 5.5), (0.2, 1.5707, 2.0),
    (-0.1, -1.5707, 3.0), (math.pi - 0.2, 1.5705, 5.0), (1.5, 0.3, -2.0),
])  # fmt: skip
def test_beamng_is_read_as_the_game_s_own_scripts_write_it(roll, pitch, heading):
    """`guistreams.lua` for the angles, as sines; `protocols.lua` for what is negated of them."""
    turn = Rotation.from_euler("ZYX", (heading, pitch, roll))
    flip = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])  # NED and east, north, up
    nose, up = flip @ turn.apply([1.0, 0.0, 0.0]), flip @ turn.apply([0.0, 0.0, -1.0])
    game_roll = up[0] * -nose[1] + up[1] * nose[0]
    game_yaw = math.atan2(nose[0], -nose[1])
    forward, right, down = 3.0, -2.0, 0.5  # acceleration of the vehicle
    sensors = (-right, -forward, down)  # what an occupant is pushed to: right, forward, up
    speed = flip @ turn.apply([20.0, 1.0, 0.0])
    data = b"BNG1" + struct.pack(
        "<21f", 0, 0, 0, *speed, *(-one for one in sensors), *up, -game_roll, nose[2], -game_yaw,
        0.1, 0.2, 0.3, 0, 0, 0,
    )  # fmt: skip
    state = decoded(codec_of("beamng")[1], data).state
    w, x, y, z = state.attitude
    assert (Rotation.from_quat([x, y, z, w]) * turn.inv()).magnitude() < 1e-4
    wanted = np.array([forward, right, down]) - turn.inv().apply([0.0, 0.0, 9.80665])
    assert state.f_m_s2 == pytest.approx(wanted, abs=1e-3)
    assert state.v_m_s == pytest.approx([20.0, 1.0, 0.0], abs=3e-3)
    assert state.omega_rad_s == pytest.approx([0.1, 0.2, 0.3], abs=1e-6)


def test_a_binary_line_without_its_footer_is_refused():
    _, codec = codec_of("flightgear_binary")
    good = encoder_of("flightgear_binary").pack(Telemetry(FLIGHT.at(3.0), 3.0, 1))[0].data
    assert isinstance(codec.decode(good), Packet)
    assert codec.decode(good[:-1] + b"\0") is Refused.MAGIC


def samples(name):
    """A few good datagrams of a wire, to be damaged."""
    if name in ("simtools", "flypt"):
        wire = wire_of("pose_template", "text" if name == "simtools" else "binary", 60.0)
        return [wire.pack(Telemetry(FLIGHT.at(4.0 * k), 4.0 * k, k))[0].data for k in range(4)]
    _, codec = codec_of(name)
    wire = encoder_of(name)
    return [
        motion_of(name, Telemetry(FLIGHT.at(4.0 * k), 4.0 * k, k), codec, wire) for k in range(4)
    ]


def damaged(chance, good):
    """A datagram with flipped bits, cut, doubled, spliced, or nothing but chance."""
    data = bytearray(chance.choice(good))
    what = chance.randrange(6)
    if what == 0:
        return chance.randbytes(chance.randrange(0, 700))
    if what == 1:
        return bytes(data[: chance.randrange(len(data) + 1)])
    if what == 2:
        return bytes(data) + chance.randbytes(chance.randrange(1, 40))
    if what == 3:
        begin = chance.randrange(len(data))
        data[begin : begin + chance.randrange(1, 9)] = chance.randbytes(chance.randrange(0, 9))
        return bytes(data)
    for _ in range(chance.randrange(1, 6)):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(data)


@pytest.mark.campaign
@pytest.mark.parametrize("name", [*WIRES, "simtools", "flypt"])
def test_any_bytes_are_taken_and_none_is_raised_for(name):
    seed = 20_170
    chance, good = random.Random(seed), samples(name)
    _, codec = codec_of(name)
    json_too = json.dumps({"seq": 1, "t_ns": 5, "flags": 0, "f": [0, 0, -9.8], "w": [0, 0, 0],
                           "q": [1, 0, 0, 0], "v": [0, 0, 0], "p": [0, 0, 0]}).encode()  # fmt: skip
    good = [*good, json_too] if name == "hcu1" else good
    understood = 0
    for _ in range(campaign.count(100_000, least=2_000)):
        told = codec.decode(damaged(chance, good))
        if isinstance(told, Packet):
            understood += 1
            numbers = (*told.state.f_m_s2, *told.state.omega_rad_s, *told.state.attitude)
            assert all(math.isfinite(one) or math.isnan(one) for one in numbers)
            if not told.state.flags & VehicleFlags.POSE:
                assert all(map(math.isfinite, numbers)), seed
            assert math.hypot(*told.state.attitude) == pytest.approx(1.0, abs=1e-9)
        else:
            assert isinstance(told, Refused)
    assert understood < campaign.count(100_000, least=2_000)


def test_every_kind_is_offered_and_every_shipped_map_makes_a_codec():
    offered = installed_hosts()
    assert {one.name for one in offered if not one.broken} >= {
        "flightgear", "flightgear_generic", "jsbsim", "xplane_rref", "xplane_data", "beamng",
        "hcu1", "pose_template",
    }  # fmt: skip
    used = {codec_of(path.stem)[0].name for path in HOSTS.glob("*.toml")}
    assert used == {one.name for one in offered if one.distribution.startswith("hil-bench")}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('kind = "xplane_data"', "version is left out; it is required"),
        ('kind = "xplane_data"\nversion = "10"', "version = '10'"),
        ('kind = "xplain"', "kind = 'xplain': no kind of host of that name; there are beamng"),
        ("", "kind is left out"),
        ('kind = "hcu1"\nkye = 1', "kye = 1: unknown key"),
        ('kind = "hcu1"\nkey = "x"', "key = 'x'"),
        ('kind = "hcu1"\n[means]\nf_most_m_s2 = [0.0, 1.0, 1.0]', "means.f_most_m_s2.0"),
        ('kind = "hcu1"\nforce_axes = ["x", "y", "w"]', "force_axes.2"),
        ('kind = "pose_template"\ntemplate = "nothing at all"', "needs <Axis1a> to <Axis6a>"),
        ('kind = "pose_template"\naxes = ["surge", "surge", "heave", "roll", "pitch", "yaw"]',
         "each of surge, sway, heave, roll, pitch, yaw once"),
        ('kind = "flightgear_generic"\nprotocol = "no_such.xml"', "no_such.xml"),
        ('kind = "jsbsim"\ndirective = "no_such.xml"', "no_such.xml"),
    ],
)  # fmt: skip
def test_maps_that_cannot_be_are_refused_by_their_key(tmp_path, text, words):
    path = tmp_path / "own.toml"
    path.write_text(text + "\n")
    with pytest.raises(ConfigError) as caught:
        codec_of_file(path)
    assert words in str(caught.value)


FILE = "<PropertyList><generic><output>{}</output></generic></PropertyList>"
CHUNK = "<chunk><node>/orientation/{}-deg</node><type>float</type></chunk>"


@pytest.mark.parametrize(
    ("xml", "words"),
    [
        ("<a>", "is not XML"),
        ("<a/>", "has no <generic><output>"),
        ("<P><generic><output/></generic></P>", "FlightGear reads <PropertyList> only"),
        (FILE.format(""), "has no <chunk>"),
        (FILE.format("<binary_mode>true</binary_mode>" + CHUNK.format("roll")),
         "gives no force: it needs chunks of /accelerations/pilot/x"),
        (FILE.format("<chunk><node>/a</node><type>string</type></chunk>"),
         "chunk /a: type 'string' has no length; bool, boolean, int, byte, word, float"),
        ('<!DOCTYPE a [<!ENTITY x "y">]><a/>', "declares entities"),
    ],
)  # fmt: skip
def test_protocols_that_cannot_be_are_refused(tmp_path, xml, words):
    (tmp_path / "own.xml").write_text(xml)
    path = tmp_path / "own.toml"
    path.write_text(f'kind = "flightgear_generic"\nprotocol = "{tmp_path}/own.xml"\n')
    with pytest.raises(ConfigError) as caught:
        codec_of_file(path)
    assert words in str(caught.value)


ASKED = "<property>accelerations/a-pilot-{}-ft_sec2</property>"


@pytest.mark.parametrize(
    ("xml", "words"),
    [
        ("<output", "is not XML"),
        ('<output type="CSV"/>', '<output type="CSV">: <output type="SOCKET"> is needed'),
        ('<output type="SOCKET"/>', 'protocol="TCP": only protocol="UDP" is heard'),
        ('<output type="SOCKET" protocol="UDP"><rates>ON</rates></output>', "<rates> is ON"),
        ('<output type="SOCKET" protocol="UDP"><coefficients>ON</coefficients></output>', "is ON"),
        ('<output type="SOCKET" protocol="UDP"><function/></output>', "<function> is not underst"),
        ('<output type="SOCKET" protocol="UDP"><property apply="f">attitude/phi-rad</property>'
         "</output>", '<property apply="f"> is not understood; only caption is'),
        ('<output type="SOCKET" protocol="UDP"/>', "there must be some"),
        ('<output type="SOCKET" protocol="UDP">' + ASKED.format("x") + "</output>",
         "gives no force: it needs properties accelerations/a-pilot-x-ft_sec2, "),
        ('<output type="SOCKET" protocol="UDP">' + "".join(map(ASKED.format, "xyz")) + "</output>",
         "gives no attitude: it needs properties attitude/phi-rad, "),
    ],
)  # fmt: skip
def test_directives_of_jsbsim_that_cannot_be_are_refused(tmp_path, xml, words):
    (tmp_path / "own.xml").write_text(xml)
    path = tmp_path / "own.toml"
    path.write_text(f'kind = "jsbsim"\ndirective = "{tmp_path}/own.xml"\n')
    with pytest.raises(ConfigError) as caught:
        codec_of_file(path)
    assert words in str(caught.value)
    assert "own.xml" in str(caught.value)


@pytest.mark.campaign
def test_a_map_mends_the_unit_of_each_vector():
    chance = random.Random(31_005)
    for _ in range(campaign.count(10_000, least=200)):
        motion = FLIGHT.at(chance.uniform(0.0, 60.0))
        told = VehicleState(
            1.0, motion.f_m_s2, motion.omega_rad_s, motion.domega_rad_s2, motion.attitude,
            motion.v_m_s, motion.position_m,
        )  # fmt: skip
        force, rate, speed, place = (10.0 ** chance.uniform(-3.0, 3.0) for _ in range(4))
        sent = VehicleState(
            1.0, tuple(one / force for one in told.f_m_s2),
            tuple(one / rate for one in told.omega_rad_s),
            tuple(one / rate for one in told.domega_rad_s2), told.attitude,
            tuple(one / speed for one in told.v_m_s), tuple(one / place for one in told.position_m),
        )  # fmt: skip
        settings = MapSettings(
            kind="hcu1", force_factor=force, rate_factor=rate, velocity_factor=speed,
            position_factor=place,
        )  # fmt: skip
        got = mapped(sent, settings)
        for field in (*FIELDS, "position_m"):
            assert getattr(got, field) == pytest.approx(getattr(told, field), rel=1e-12), field
        assert got.attitude == told.attitude
    assert math.isnan(mapped(replace(REST, v_m_s=UNKNOWN), settings).v_m_s[0])


def test_a_factor_is_never_a_sign_or_nothing(tmp_path):
    for factor in ("0.0", "-1.0", "nan", "inf"):
        (tmp_path / "own.toml").write_text(f'kind = "hcu1"\nforce_factor = {factor}\n')
        with pytest.raises(ConfigError, match="force_factor"):
            codec_of_file(tmp_path / "own.toml")
