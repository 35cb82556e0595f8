"""The table of signs in `docs/hosts.md` has each field that a codec reads, and no other.

What a codec reads is found by changing one value of a datagram after the other, laid out here.
"""

import inspect
import re
import struct
import zlib
from functools import cache

import pytest
from test_docs import ROOT
from test_flightgear_wire import loaded

from hil.config.file_search import configs_dir
from hil.config.settings import read_toml
from hil.hosts.kind import Packet
from hil.hosts.maps import installed_hosts, load_map
from hil.hosts.wires import flightgear_generic, jsbsim
from hil.hosts.wires.beamng import BeamNgCodec
from hil.hosts.wires.flightgear import FlightGearCodec
from hil.hosts.wires.hcu1 import Hcu1Codec
from hil.hosts.wires.jsbsim import JsbsimCodec
from hil.hosts.wires.jsbsim_directive import read_directive
from hil.hosts.wires.pose_template import PoseTemplateCodec, PoseTemplateSettings
from hil.hosts.wires.xplane_data import DataCodec
from hil.hosts.wires.xplane_rref import PATHS, RrefCodec

HOSTS = configs_dir() / "hosts"


@cache
def rows():
    """Wire, fields, sign, unit, source, seen of each row of the table."""
    text = (ROOT / "docs" / "hosts.md").read_text()
    section = text.partition("## Signs, units and their sources\n")[2].partition("\n## ")[0]
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in section.splitlines() if line.startswith("| `")
    ]  # fmt: skip
    return [(one[0].strip("`"), re.findall("`([^`]+)`", one[1]), *one[2:]) for one in cells]


def fields_told(wire):
    return {field for name, fields, *_ in rows() if name == wire for field in fields}


def fields_read(make, pack, base):
    """Names of the values of a datagram that a codec takes notice of.

    Args:
        make: a codec, new each time.
        pack: the datagram of values by name.
        base: such values.
    """

    def told(values):
        packet = make().decode(pack(values))
        return packet if isinstance(packet, Packet) else None

    before = told(base)
    assert before is not None
    return {
        name for name, value in base.items()
        if repr(told(base | {name: value + (0.25 if isinstance(value, float) else 1)}))
        != repr(before)
    }  # fmt: skip


def test_each_row_names_sign_unit_source_and_whether_it_was_seen():
    for wire, fields, sign, unit, source, seen in rows():
        assert fields, wire
        assert len(sign) > 3 and unit and len(source) > 5, fields  # noqa: PT018
        assert seen.startswith(("no", "yes", "JSBSim yes")), fields


def test_each_kind_of_ours_has_rows():
    """A layout is what its map says, so that each shipped one has rows of its own."""
    ours = {one.name for one in installed_hosts() if one.distribution.startswith("hil-bench")}
    maps = {one.stem: read_toml(one)["kind"] for one in HOSTS.glob("*.toml")}
    layouts = {name for name, kind in maps.items() if kind == "layout"}
    assert {wire for wire, *_ in rows()} == ours - {"layout"} | layouts


def test_each_wire_of_the_table_is_compared_here_with_what_its_codec_reads():
    bodies = [inspect.getsource(one) for name, one in globals().items() if name.startswith("test_")]
    compared = {wire for one in bodies for wire in re.findall(r'fields_told\("(\w+)"\)', one)}
    assert {wire for wire, *_ in rows()} == compared | {name for name, *_ in LAYOUTS}


def names_of_properties(module):
    """Those that a codec's tables name, in whatever they stand."""

    def strings(value):
        if isinstance(value, str):
            return {value}
        parts = [*value, *value.values()] if isinstance(value, dict) else value
        many = isinstance(parts, dict | tuple | list | set | frozenset)
        return set[str]().union(*map(strings, parts)) if many else set[str]()

    tables = (value for name, value in vars(module).items() if name.isupper())
    return {one for table in tables for one in strings(table) if re.search("[a-z]/[a-z]", one)}


def test_each_property_that_a_codec_names_is_in_the_table():
    named = names_of_properties(flightgear_generic)
    assert len(named) > 20
    assert named <= fields_told("flightgear_generic")
    named = names_of_properties(jsbsim)
    assert len(named) > 20
    assert named <= fields_told("jsbsim")


def test_hcu1():
    vectors = (("f", 3), ("w", 3), ("dw", 3), ("q", 4), ("v", 3), ("p", 3))
    numbers = [f"{name}{k}" for name, many in vectors for k in range(many)]
    names = ("flags", "seq", "t_ns", *numbers)

    def pack(values):
        flags, seq, t_ns, *numbers = (values[name] for name in names)
        q = numbers[9:13]
        length = sum(one * one for one in q) ** 0.5
        numbers[9:13] = [one / length for one in q]
        body = struct.pack("<4sBBHIQ3f3f3f4f3f3d", b"HCU1", 1, flags, 112, seq, t_ns, *numbers)
        return body + struct.pack("<I", zlib.crc32(body))

    base = dict.fromkeys(names, 0.5) | {"flags": 16, "seq": 5, "t_ns": 10**9}
    found = {re.sub(r"\d$", "", name) for name in fields_read(Hcu1Codec, pack, base)}
    assert found == fields_told("hcu1")


FDM = (
    "longitude", "latitude", "altitude", "agl", "phi", "theta", "psi", "alpha", "beta", "phidot",
    "thetadot", "psidot", "vcas", "climb_rate", "v_north", "v_east", "v_down", "v_body_u",
    "v_body_v", "v_body_w", "A_X_pilot", "A_Y_pilot", "A_Z_pilot", "stall_warning", "slip_deg",
)  # fmt: skip
"""The members of FGNetFDM from the place to the slip ball, as `net_fdm.hxx` has them."""


def test_flightgear_native():
    def pack(values):
        head = struct.pack(">2I3d22f", 24, 0, *(values[name] for name in FDM))
        return head + bytes(408 - len(head))

    class Moved(FlightGearCodec):
        """One that has been elsewhere before, so that a place is told from it."""

        def __init__(self):
            super().__init__()
            self.decode(pack(dict.fromkeys(FDM, 0.1)))

    base = dict.fromkeys(FDM, 0.5)
    assert fields_read(Moved, pack, base) == fields_told("flightgear")


def test_flightgear_generic(tmp_path):
    nodes = [*sorted(fields_told("flightgear_generic")), "/engines/engine/rpm", "/sim/current-view"]

    def told_of(names):
        chunks = "".join(f"<chunk><node>{one}</node><type>double</type></chunk>" for one in names)
        xml = ("<PropertyList><generic><output><binary_mode>true</binary_mode>"
               f"{chunks}</output></generic></PropertyList>")  # fmt: skip

        def pack(values):
            return struct.pack(f">{len(names)}d", *(values[name] for name in names))

        def make():
            codec = loaded(tmp_path, xml.encode())
            codec.decode(pack(dict.fromkeys(names, 0.1)))
            return codec

        return fields_read(make, pack, dict.fromkeys(names, 0.0))

    # what another wording of the same goes before is left out for a second look
    second = [one for one in nodes if "speed-" not in one and "-body" not in one]
    assert told_of(nodes) | told_of(second) == fields_told("flightgear_generic")


def test_jsbsim(tmp_path):
    def told_of(names):
        asked = "".join(f"<property>{name}</property>" for name in names)
        path = tmp_path / "own.xml"
        path.write_text(f'<output type="SOCKET" protocol="UDP">{asked}</output>')

        def pack(values):
            return (",".join(repr(values[name]) for name in ("Time", *names)) + "\n").encode()

        def make():
            codec = JsbsimCodec(read_directive(path), str(path))
            codec.decode(pack(dict.fromkeys(("Time", *names), 0.1)))
            return codec

        return fields_read(make, pack, dict.fromkeys(("Time", *names), 0.0))

    told = fields_told("jsbsim")
    names = [*sorted(told - {"Time"}), "propulsion/engine/rpm"]
    second = [one for one in names if not re.search("a-pilot|-rad$|v-north", one)]
    assert told_of(names) | told_of(second) == told


def test_xplane_rref():
    def pack(values):
        pairs = (struct.pack("<if", k, values[path]) for k, path in enumerate(PATHS))
        return b"RREF," + b"".join(pairs)

    read = fields_read(lambda: RrefCodec(60), pack, dict.fromkeys(PATHS, 0.0))
    assert read == set(PATHS) == fields_told("xplane_rref")


@pytest.mark.parametrize("version", ["11", "12"])
def test_xplane_data(version):
    numbers = (1, 3, 4, 16, 17, 18, 20, 21)

    def pack(values):
        return b"DATA*" + b"".join(
            struct.pack("<i8f", row, *(values[f"{row}.{k}"] for k in range(8))) for row in numbers
        )

    base = {f"{row}.{k}": 0.5 for row in numbers for k in range(8)}
    assert fields_read(lambda: DataCodec(version), pack, base) == fields_told("xplane_data")


def test_beamng():
    names = [f"{name}{axis}" for name in ("pos", "vel", "acc", "upVec") for axis in "XYZ"]
    names += [
        f"{axis}{what}" for what in ("Pos", "Rate", "Acc") for axis in ("roll", "pitch", "yaw")
    ]

    def pack(values):
        numbers = [values[name] for name in names]
        length = sum(one * one for one in numbers[9:12]) ** 0.5
        numbers[9:12] = [one / length for one in numbers[9:12]]
        return struct.pack("<4s21f", b"BNG1", *numbers)

    def make():
        return BeamNgCodec(("y", "x", "-z"))

    base = dict.fromkeys(names, 0.2)
    # near the vertical the pitch says which way up it is
    tail = base | {"upVecX": 5.0, "upVecY": 5.0, "pitchPos": -0.1}
    read = fields_read(make, pack, base) | fields_read(make, pack, tail)
    assert read == fields_told("beamng")


def test_poses():
    names = [f"Axis{k}a" for k in range(1, 7)]

    def pack(values):
        return (",".join(str(values[name]) for name in names) + "X").encode()

    read = fields_read(
        lambda: PoseTemplateCodec(PoseTemplateSettings()), pack, dict.fromkeys(names, 2000)
    )
    assert read == fields_told("pose_template")


def axes(*names):
    return [name + axis for name in names for axis in "XYZ"]


CODEMASTERS = (
    "m_time", "m_lapTime", "m_lapDistance", "m_totalDistance", "m_x", "m_y", "m_z", "m_speed",
    "m_xv", "m_yv", "m_zv", "m_xr", "m_yr", "m_zr", "m_xd", "m_yd", "m_zd",
    *(f"rest{k}" for k in range(49)),
)  # fmt: skip
"""In the order of the F1 2016 specification; of DiRT Rally 66 are sent."""
F1_CAR = axes("m_worldPosition", "m_worldVelocity", "m_worldForwardDir", "m_worldRightDir")
F1_CAR += ["m_gForceLateral", "m_gForceLongitudinal", "m_gForceVertical", "m_yaw", "m_pitch",
           "m_roll"]  # fmt: skip
F1_HEAD = ("m_sessionUID", "m_sessionTime", "m_frameIdentifier", "m_overallFrameIdentifier",
           "m_playerCarIndex", "m_secondaryPlayerCarIndex")  # fmt: skip
FORZA = ("IsRaceOn", "TimestampMS", "EngineMaxRpm", "EngineIdleRpm", "CurrentEngineRpm",
         *axes("Acceleration", "Velocity", "AngularVelocity"), "Yaw", "Pitch", "Roll",
         "NormalizedSuspensionTravelFrontLeft")  # fmt: skip
OUTSIM = ("Time", *axes("AngVel"), "Heading", "Pitch", "Roll", *axes("Accel", "Vel", "Pos"))


def pack_f1(values):
    head = struct.pack(
        "<H5BQfIIBB", 2023, 23, 1, 19, 1, 0, *(int(values[name]) if name != "m_sessionTime"
                                               else values[name] for name in F1_HEAD)
    )  # fmt: skip
    car = [values[name] for name in F1_CAR]
    car[6:12] = (int(32767 * one) for one in car[6:12])
    return head + struct.pack("<6f6h6f", *car) + bytes(60 * 21)


LAYOUTS = [
    ("codemasters", CODEMASTERS, lambda told: struct.pack("<66f", *told.values()),
     {"m_xr": 1.0, "m_zd": -1.0}),
    ("f1_23", (*F1_HEAD, *F1_CAR), pack_f1,
     dict.fromkeys(F1_HEAD, 0) | {"m_sessionTime": 0.0, "m_worldRightDirX": 1.0,
                                  "m_worldForwardDirZ": -1.0}),
    ("forza", FORZA, lambda told: struct.pack("<iI16f", *told.values()) + bytes(239),
     {"IsRaceOn": 0, "TimestampMS": 0}),
    ("outsim", OUTSIM, lambda told: struct.pack("<I12f3i", *told.values()),
     {"Time": 0, "PosX": 0, "PosY": 0, "PosZ": 0}),
    ("opentrack", ("TX", "TY", "TZ", "Yaw", "Pitch", "Roll"),
     lambda told: struct.pack("<6d", *told.values()), {}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "names", "pack", "more"), LAYOUTS)
def test_layouts(name, names, pack, more):
    kind, settings = load_map(HOSTS / f"{name}.toml")
    base = dict.fromkeys(names, 0.0) | more
    # an axis that is 1 in an int16 has no room above
    read = fields_read(lambda: kind.codec(settings), lambda told: pack(capped(told)), base)
    assert read == fields_told(name)


def capped(told):
    """Directions within what an int16 can have; beyond 1 they go the other way."""
    return {
        name: 2.0 - one if name.endswith(("DirX", "DirY", "DirZ")) and one > 1.0 else one
        for name, one in told.items()
    }
