"""Layouts of one's own: the shipped ones against packets laid out from the public documents."""

import math
import struct

import campaign
import layout_samples as samples
import numpy as np
import pytest
from layout_samples import Moving
from scipy.spatial.transform import Rotation

from hil.config.errors import ConfigError
from hil.config.file_search import configs_dir
from hil.hosts.kind import Packet, Received, Refused
from hil.hosts.maps import load_map, map_of
from hil.hosts.order import Ordering, PacketOrder
from hil.hosts.wires.layout import LayoutCodec
from hil.hosts.wires.layout_fields import CODES, GROUPS
from hil.hosts.wires.layout_map import LayoutSettings
from platform6dof.cueing.vehicle import GRAVITY_M_S2, VehicleFlags

HOSTS = configs_dir() / "hosts"
DIVING = Moving(12.5, 0.3, -0.4, 2.2, (10.0, -20.0, 3.0), (100.0, 200.0, -30.0))
UPSIDE_DOWN = Moving(13.0, 2.9, 0.2, -1.0, (5.0, 8.0, -2.0), (7.0, 8.0, 9.0))
LEVEL = Moving(1.0, 0.0, 0.0, 0.0, (20.0, 0.0, 0.0), (1.0, 2.0, 3.0))


def codec_of(name):
    kind, settings = load_map(HOSTS / f"{name}.toml")
    return kind.codec(settings)


def state_of(codec, datagram):
    told = codec.decode(datagram)
    assert isinstance(told, Packet), told
    return told.state


def axes_of(state):
    """Forward, right, down in north, east, down, as columns."""
    w, x, y, z = state.attitude
    return Rotation.from_quat([x, y, z, w]).as_matrix()


@pytest.mark.parametrize("at", [DIVING, UPSIDE_DOWN, LEVEL])
@pytest.mark.parametrize(
    ("name", "pack", "fine"),
    [
        ("codemasters", samples.codemasters, 2e-6),
        ("f1_23", samples.f1_23, 6e-5),
        ("outsim", samples.outsim, 2e-5),
    ],
)
def test_a_vehicle_is_what_is_decoded(name, pack, fine, at):
    state = state_of(codec_of(name), pack(at))
    assert state.t_s == pytest.approx(at.t_s)
    assert axes_of(state) == pytest.approx(at.axes, abs=fine)
    assert state.v_m_s == pytest.approx(at.axes.T @ np.array(at.v_m_s), abs=25.0 * fine)
    assert state.position_m == pytest.approx(at.p_m, abs=2e-5)
    assert all(map(math.isnan, state.f_m_s2)), "of which nobody says what its sign is"


@pytest.mark.parametrize("at", [DIVING, LEVEL])
def test_forza(at):
    packet = samples.forza(at, acceleration=(1.0, 2.0, 3.0), rates=(0.1, 0.2, 0.3))
    state = state_of(codec_of("forza"), packet)
    assert state.t_s == pytest.approx(at.t_s)
    assert axes_of(state) == pytest.approx(at.axes, abs=1e-6)
    assert state.v_m_s == pytest.approx(at.axes.T @ np.array(at.v_m_s), rel=1e-6)
    weight = at.axes.T @ np.array([0.0, 0.0, -GRAVITY_M_S2])
    assert state.f_m_s2 == pytest.approx(np.array([1.0, 2.0, 3.0]) + weight, abs=1e-5)
    assert state.omega_rad_s == pytest.approx((0.1, 0.2, 0.3))
    assert not state.flags
    paused = state_of(codec_of("forza"), samples.forza(at, race_on=0))
    assert paused.flags is VehicleFlags.PAUSED


@pytest.mark.parametrize("length", [232, 324, 331])
def test_other_formats_of_forza_are_another_length(length):
    packet = samples.forza(LEVEL, length)
    assert codec_of("forza").decode(packet) is Refused.LENGTH
    kind, settings = load_map(HOSTS / "forza.toml", [f"length={length}"])
    assert state_of(kind.codec(settings), packet).v_m_s == pytest.approx((20.0, 0.0, 0.0))


def test_opentrack():
    state = state_of(codec_of("opentrack"), samples.opentrack(0.02, 0.03, -0.04, 0.1, -0.2, 0.3))
    assert state.flags is VehicleFlags.POSE
    assert state.position_m == pytest.approx((0.04, 0.02, -0.03))
    turned = Moving(0.0, 0.3, -0.2, 0.1, (0.0,) * 3, (0.0,) * 3).axes
    assert axes_of(state) == pytest.approx(turned, abs=1e-12)


def test_opentrack_in_the_other_order_of_bytes_is_refused():
    """1.0 is 3e-319 then, and a pose of such numbers looks like one at rest."""
    codec = codec_of("opentrack")
    assert codec.decode(struct.pack(">6d", 10.0, 2.0, -3.0, 4.0, 5.0, -6.0)) is Refused.RANGE
    state = state_of(codec, struct.pack("<6d", *[0.0] * 6))
    assert (state.position_m, axes_of(state).tolist()) == ((0.0, 0.0, 0.0), np.eye(3).tolist())


def test_f1_the_car_of_the_player_and_no_other_packet():
    codec = codec_of("f1_23")
    for car in (0, 21):
        told = state_of(codec, samples.f1_23(DIVING, car=car))
        assert told.position_m == pytest.approx(DIVING.p_m, abs=2e-5)
    assert codec.decode(samples.f1_23(DIVING, packet_id=6)) is Refused.NO_MOTION
    assert codec.decode(samples.f1_23(DIVING, packet_id=6)[:200]) is Refused.NO_MOTION
    assert codec.decode(samples.f1_23(DIVING, year=2022)) is Refused.MAGIC
    beyond = bytearray(samples.f1_23(DIVING))
    beyond[27] = 22
    assert codec.decode(bytes(beyond)) is Refused.RANGE
    skewed = bytearray(samples.f1_23(DIVING, car=0))
    struct.pack_into("<h", skewed, 29 + 24, 0)
    assert codec.decode(bytes(skewed)) is Refused.RANGE


# --- layouts of one's own -------------------------------------------------------------------------

OWN = {
    "kind": "layout", "port": 7000, "length": 16, "endian": "big",
    "magic": [{"at": 0, "type": "u16", "value": 17}],
    "fields": {
        "force_forward": {"at": 2, "type": "i16", "unit": "g", "factor": 0.001},
        "force_right": {"at": 4, "type": "i16", "unit": "g", "factor": -0.001},
        "force_down": {"at": 6, "type": "f32", "unit": "ft/s2"},
        "time": {"at": 12, "type": "u32", "unit": "us"},
    },
}  # fmt: skip
TEXT = {
    "kind": "layout", "port": 7000, "length": 7, "separator": ";",
    "only": [{"at": 0, "value": 2}],
    "fields": {
        "roll_rate": {"at": 1, "unit": "deg/s"}, "pitch_rate": {"at": 2, "unit": "deg/s"},
        "yaw_rate": {"at": 3, "unit": "deg/s"}, "force_down": {"at": 6, "unit": "m/s²"},
    },
}  # fmt: skip


def made(table, **changes):
    kind, settings = map_of(table | changes, "own.toml")
    return kind.codec(settings)


def test_types_byte_order_factor_and_unit():
    packet = struct.pack(">HhhfHI", 17, 100, 200, -32.0, 0, 2_500_000)
    state = state_of(made(OWN), packet)
    force = (0.1 * GRAVITY_M_S2, -0.2 * GRAVITY_M_S2, -32.0 * 0.3048)
    assert state.f_m_s2 == pytest.approx(force)
    assert state.t_s == pytest.approx(2.5)
    assert made(OWN).decode(struct.pack("<HhhfHI", 17, 100, 200, -32.0, 0, 0)) is Refused.MAGIC
    assert made(OWN).decode(packet + b"\0") is Refused.LENGTH
    assert made(OWN).decode(packet[:1]) is Refused.LENGTH
    wild = struct.pack(">HhhfHI", 17, 0, 0, math.inf, 0, 0)
    assert made(OWN).decode(wild) is Refused.NOT_FINITE


@pytest.mark.parametrize(
    ("type_", "unit", "number"),
    [("f64", "s", 1_767_225_600.25), ("u64", "ns", 1_767_225_600_250_000_000),
     ("u64", "us", 1_767_225_600_250_000), ("i64", "ms", 1_767_225_600_250)],
)  # fmt: skip
def test_times_since_1970_are_times(type_, unit, number):
    told = {"force_down": {"at": 6, "type": "i16", "unit": "g"}}
    told["time"] = {"at": 8, "type": type_, "unit": unit}
    codec = made(OWN, fields=OWN["fields"] | told)
    packet = struct.pack(">Hhhh" + CODES[type_], 17, 0, 0, -1, number)
    assert state_of(codec, packet).t_s == pytest.approx(1_767_225_600.25, abs=1e-6)
    if type_ == "f64":
        packet = struct.pack(">Hhhhd", 17, 0, 0, -1, 1e300)
        assert codec.decode(packet) is Refused.RANGE


@pytest.mark.parametrize(("type_", "bits"), [("u8", 8), ("u16", 16), ("i16", 16), ("u32", 32)])
def test_a_sequence_that_begins_anew_goes_on(type_, bits):
    """As many packets as a byte or two can count are no new beginning, and none is missing."""
    told = {"time": {"at": 8, "type": "u32", "unit": "ms"}, "force_down":
            {"at": 6, "type": "i16", "unit": "g"}, "sequence":
            {"at": 12, "type": type_, "unit": "1"}}  # fmt: skip
    size = struct.calcsize(CODES[type_])
    codec, place = made(OWN, fields=OWN["fields"] | told, length=12 + size), Ordering()
    top = (1 << bits - (type_[0] == "i")) - 40
    for k in range(80):
        number = (top + k) % (1 << bits)
        number -= (1 << bits) if type_[0] == "i" and number >= 1 << bits - 1 else 0
        data = struct.pack(">HhhhI" + CODES[type_], 17, 0, 0, -1, 20 * k, number)
        packet = codec.decode(data)
        assert isinstance(packet, Packet)
        assert place.judge(Received(packet, 0.02 * k, 0.02 * k)) is not PacketOrder.RESTART, k
    assert place.missing == 0


def test_columns_of_text():
    codec = made(TEXT)
    state = state_of(codec, b"2; 10;-20;30 ;x0;0;-9.8\r\n".replace(b"x0", b"0"))
    assert state.omega_rad_s == pytest.approx(np.radians((10.0, -20.0, 30.0)))
    assert state.f_m_s2[2] == -9.8
    assert codec.decode(b"3;1;1;1;0;0;-9.8") is Refused.NO_MOTION
    for wrong in (b"2;1;1;1;0;0", b"2;1;1;1;0;0;x", b"2,1,1,1,0,0,-9.8", b"\xff;;", b""):
        assert codec.decode(wrong) is Refused.TEXT, wrong
    assert codec.decode(b"2;1;1;1;0;0;nan") is Refused.NOT_FINITE


def changed(table, path, value):
    """A table with another value; None for none."""
    copy = {key: dict(one) if isinstance(one, dict) else one for key, one in table.items()}
    *way, last = path.split(".")
    inner = copy
    for key in way:
        inner[key] = dict(inner[key])
        inner = inner[key]
    if value is None:
        inner.pop(last)
    else:
        inner[last] = value
    return copy


FIELD = {"at": 8, "type": "f32", "unit": "1"}


@pytest.mark.parametrize(
    ("table", "path", "value", "words"),
    [
        (OWN, "endian", None, 'endian is left out: "little" or "big" is needed'),
        (OWN, "port", None, "port is left out"),
        (OWN, "length", 15, "fields.time.at = 12: u32 ends at 16, beyond length = 15"),
        (OWN, "fields.time.unit", "m", "fields.time.unit = 'm': it must be one of s, ms, us, ns"),
        (OWN, "fields.time.unit", None, "fields.time.unit is left out"),
        (OWN, "fields.time.type", None, "fields.time.type is left out; there are i8, u8"),
        (OWN, "fields.time.type", "f16", "fields.time.type"),
        (OWN, "fields.time.at", 8, "fields.time.at = 8: fields.force_down goes on to 10"),
        (OWN, "fields.time.at", -1, "fields.time.at"),
        (OWN, "fields.time.factor", 0.0, "fields.time.factor = 0: nothing would be left"),
        (OWN, "fields.time.record", True, "fields.time.record: there is no table [record]"),
        (OWN, "fields.surge", FIELD, "fields.surge: no field is called so; there are force_f"),
        (OWN, "fields.heading", FIELD | {"unit": "deg"}, "fields.roll is left out: roll, pitch"),
        (OWN, "fields.acceleration_down", FIELD | {"unit": "g"}, "force is told already"),
        (OWN, "record", {"index_at": 1, "start": 2, "bytes": 5, "count": 3}, "record: it ends at"),
        (OWN, "separator", ",", "endian: a line of text has no byte order"),
        (TEXT, "fields.force_down.at", 7, "it must be below length = 7 columns"),
        (TEXT, "fields.force_down.at", 3, "fields.yaw_rate is that column"),
        (TEXT, "fields.force_down.type", "f32", "a column of text has none"),
        (TEXT, "separator", ".", "ASCII is needed that no number has"),
        (TEXT, "fields.force_down", None, "no motion is told"),
        (TEXT, "fields.pose_forward", {"at": 4, "unit": "m"}, "pose_forward, pose_right, pose_do"),
    ],
)
def test_what_is_wrong_is_refused_by_its_place_with_what_would_be_right(table, path, value, words):
    with pytest.raises(ConfigError) as caught:
        map_of(changed(table, path, value), "own.toml")
    assert words in str(caught.value)
    assert str(caught.value).startswith("own.toml: ")


# --- drawn layouts --------------------------------------------------------------------------------

SIZES = {name: struct.calcsize("<" + code) for name, code in CODES.items()}
UNITS_SI = {
    "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "m": 1.0, "cm": 0.01, "mm": 1e-3, "in": 0.0254,
    "ft": 0.3048, "m_s": 1.0, "cm_s": 0.01, "km_h": 1 / 3.6, "mph": 0.44704, "kn": 1852 / 3600,
    "ft_s": 0.3048, "m_s2": 1.0, "g": 9.80665, "gal": 0.01, "ft_s2": 0.3048, "rad": 1.0,
    "mrad": 1e-3, "deg": math.pi / 180, "rad_s": 1.0, "deg_s": math.pi / 180, "rad_s2": 1.0,
    "deg_s2": math.pi / 180, "1": 1.0,
}  # fmt: skip
"""Of NIST SP 811, appendix B."""


def drawn(rng):
    """A layout, its fields with the unit's value, and what is between them in a packet."""
    groups = ["force", "rates"] + [
        one for one in ("time", "velocity", "position") if rng.random() < 0.5
    ]
    names = [name for group in groups for name in GROUPS[group][0]]
    rng.shuffle(names)
    text, endian = rng.random() < 0.3, rng.choice(["little", "big"])
    at, fields = 0, {}
    for name in names:
        at += int(rng.integers(0, 3)) if text else int(rng.integers(0, 6))
        units = next(units for those, units in GROUPS.values() if name in those)
        unit = str(rng.choice(sorted(units)))
        factor = float(rng.choice([1.0, -1.0, 0.5, -2.0]))
        type_ = str(rng.choice(["i16", "i32", "f32", "f64"]))
        fields[name] = {"at": at, "unit": unit, "factor": factor}
        if not text:
            fields[name]["type"] = type_
        at += 1 if text else SIZES[type_]
    length = at + int(rng.integers(0, 4))
    table = {"kind": "layout", "port": 7000, "length": length, "fields": fields}
    return table | ({"separator": ";"} if text else {"endian": str(endian)})


def packed(table, numbers, rng):
    """A packet of such a layout, with anything between its fields."""
    if "separator" in table:
        columns = ["0"] * table["length"]
        for name, one in table["fields"].items():
            columns[one["at"]] = repr(numbers[name])
        return ";".join(columns).encode()
    data = bytearray(rng.bytes(table["length"]))
    order = ">" if table["endian"] == "big" else "<"
    for name, one in table["fields"].items():
        struct.pack_into(order + CODES[one["type"]], data, one["at"], numbers[name])
    return bytes(data)


@pytest.mark.campaign
@pytest.mark.timeout(900)
def test_drawn_layouts_are_read_and_cut_and_joined_packets_are_not():
    rng = np.random.default_rng(31)
    print("seed 31")
    for _ in range(campaign.count(10_000, 200)):
        table = drawn(rng)
        codec = LayoutCodec(LayoutSettings.build(table, "own.toml"))
        numbers = {name: int(rng.integers(-1000, 1000)) for name in table["fields"]}
        data = packed(table, numbers, rng)
        state = state_of(codec, data)
        wanted = {
            name: numbers[name] * one["factor"] * UNITS_SI[one["unit"]]
            for name, one in table["fields"].items()
        }
        told = {"time": state.t_s}
        vectors = {
            "force": state.f_m_s2, "rates": state.omega_rad_s, "velocity": state.v_m_s,
            "position": state.position_m,
        }  # fmt: skip
        for group, vector in vectors.items():
            told |= dict(zip(GROUPS[group][0], vector, strict=True))
        for name, value in wanted.items():
            assert told[name] == pytest.approx(value, rel=1e-12, abs=1e-15), (table, name)
        for wrong in cut_and_joined(table, data, rng):
            assert isinstance(codec.decode(wrong), Refused), (table, wrong)
        assert isinstance(codec.decode(rng.bytes(len(data))), Packet | Refused)


def cut_and_joined(table, data, rng):
    """Other packets that are parts of one, or one and a part of the next."""
    text = "separator" in table
    # a line that is cut within its last number is another line, and so is the rest of the first
    cut = int(rng.integers(0, data.rindex(b";") + 1 if text else len(data)))
    parts = [data[:cut], data + data, data + data[: cut + 1], data[cut:]]
    return [
        one for one in parts
        if (one.count(b";") != data.count(b";") if text else one != data)
    ]  # fmt: skip


def test_a_shipped_layout_takes_any_bytes():
    rng = np.random.default_rng(5)
    for name in ("codemasters", "f1_23", "forza", "opentrack", "outsim"):
        codec, length = codec_of(name), load_map(HOSTS / f"{name}.toml")[1].length
        for size in (*range(8), length - 1, length, length, length, length + 1):
            assert isinstance(codec.decode(rng.bytes(size)), Packet | Refused)
