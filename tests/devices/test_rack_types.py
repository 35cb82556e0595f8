"""Emulated drives of other types: their dictionaries, units and guarding, told to a raw master.

The judge is the sheet of each maker's dictionary as a table of its own here, and arithmetic with
the screw and the encoder; no code of `drives` and no table of `sim` is read.
"""

import re
import struct
from configparser import ConfigParser
from dataclasses import replace
from pathlib import Path

import pytest
from maker_objects import LISTED, MAKERS, SUBINDICES
from virtual_master import NODES, VirtualMaster

from sim.devices.can.object_table import table_of
from sim.devices.drive.drive_type import UnitError, Units
from sim.devices.drive.maker_types import TYPES
from sim.devices.drive.parameters import RackSettings, default_nodes

NO_OBJECT, NO_SUBINDEX = 0x06020000, 0x06090011
READ_ONLY, RANGE, UNKNOWN_COMMAND = 0x06010002, 0x06090030, 0x05040001
SHEET_FILE = Path(__file__).parents[2] / "configs/eds/hil_emulated_drive.eds"
LEAD_M, COUNTS_PER_M = 0.01, 1e6

# What an EDS of each maker has (+), has not (-), and with which value (a number).
COLUMNS = ("epos4", "cl4", "ipos", "elmo_gold", "prl120")
SHEET = """
1400:5 H | - | - | - | - | -
1016:1 I | + | + | - | + | +
1016:2 I | + | - | - | + | +
1016:3 I | - | - | - | - | +
1016:4 I | - | - | - | - | -
100C:0 H | - | + | + | - | +
100D:0 B | - | + | + | - | +
1006:0 I | - | + | + | + | -
1013:0 I | - | - | + | - | -
2041:0 I | - | - | - | + | -
22A2:0 H | - | - | - | + | -
1017:0 H | + | + | + | + | +
1029:1 B | + | + | - | + | -
1800:3 H | + | + | + | + | -
1800:5 H | - | + | + | + | +
6007:0 h | 3 | 1 | 0 | 1 | -
603F:0 H | + | + | - | + | -
605A:0 h | 6 | 2 | 2 | 2 | -
605B:0 h | 0 | 1 | 0 | 0 | -
605C:0 h | 1 | 1 | 1 | 0 | -
605D:0 h | - | 1 | 1 | 2 | -
605E:0 h | 2 | 2 | 2 | 2 | -
6065:0 I | 20000 | 256 | + | + | +
6066:0 H | 0 | 100 | + | 20 | -
607C:0 i | - | + | + | + | +
607D:1 i | + | + | + | -900000000 | -
607E:0 B | - | + | + | + | -
607F:0 I | 18000 | 30000 | - | 2000000000 | -
6084:0 I | 10000 | 500 | - | 2000000000 | -
6085:0 I | 10000 | 5000 | + | 2000000000 | -
608F:1 I | - | + | - | + | -
6091:1 I | - | + | - | + | -
6092:1 I | - | + | - | + | -
6096:1 I | - | + | - | + | -
6098:0 b | + | 35 | + | 35 | -
6099:1 I | 180 | 50 | + | 10000 | -
6099:2 I | + | + | + | + | -
609A:0 I | 30 | 500 | + | + | -
60A8:0 I | 0x00B50000 | 0xFF410000 | - | - | -
60A9:0 I | 0x00B44700 | 0x00B44700 | - | - | -
60AA:0 I | 0x00C00300 | - | - | - | -
60B1:0 i | + | + | - | + | -
60C0:0 h | - | - | + | + | -
60C2:1 B | 10 | 1 | + | 10 | 50
60C5:0 I | 10000 | 5000 | - | 2000000000 | -
60C6:0 I | - | 5000 | - | 2000000000 | -
60F4:0 i | + | + | + | + | -
60FD:0 I | + | + | + | + | -
60FF:0 i | + | + | + | + | -
6502:0 I | 0x3A5 | 0x3EF | 0x1F0065 | + | +
"""


MODELLED = frozenset().union(*(table_of(kind).indices for kind in TYPES.values()))
"""Every object that some emulated drive has."""


@pytest.mark.parametrize("name", COLUMNS)
def test_a_type_has_exactly_those_objects_of_its_maker_that_are_modelled(name):
    assert len(MAKERS[name]) == LISTED[name], "as many as its list says"
    assert table_of(TYPES[name]).indices == MODELLED & MAKERS[name]


@pytest.mark.parametrize("name", COLUMNS)
def test_lists_of_a_type_are_as_long_as_its_makers(name):
    keys = table_of(TYPES[name]).entries
    has = {
        index: max(sub for at, sub in keys if at == index)
        for index in (0x1003, 0x1016)
        if (index, 0) in keys
    }
    assert has == SUBINDICES[name]


def test_our_own_type_has_exactly_the_objects_of_its_public_sheet():
    """As `configs/eds` is published: read by a parser of INI files, object by object."""
    sheet = ConfigParser()
    sheet.read(SHEET_FILE)
    lists = ("MandatoryObjects", "OptionalObjects", "ManufacturerObjects")
    listed = {
        int(index, 16)
        for name in lists
        for key, index in sheet[name].items()
        if key != "supportedobjects"
    }
    table = table_of(TYPES["hil_emulated"])
    assert table.indices == listed
    places = {
        (int(name[:4], 16), int(name[7:] or "0", 16)): section
        for name, section in sheet.items()
        if re.fullmatch(r"[0-9A-F]{4}(sub[0-9A-F]+)?", name) and "AccessType" in section
    }
    assert set(table.entries) == set(places)
    for place, section in places.items():
        entry = table.entries[place]
        told = section["AccessType"], int(section["DataType"], 0), section["PDOMapping"] == "1"
        assert told == (entry.access, entry.data_type, entry.mappable), place


def rows():
    for line in SHEET.split("\n"):
        if line.strip():
            place, *cells = (cell.strip() for cell in line.split("|"))
            where, form = place.split()
            index, sub = where.split(":")
            for column, cell in zip(COLUMNS, cells, strict=True):
                yield column, int(index, 16), int(sub), form, cell


def master(name, **changes):
    kind = replace(TYPES[name], **changes)
    nodes = tuple(replace(node, type=kind) for node in default_nodes())
    return VirtualMaster(RackSettings(nodes=nodes))


def abort_of(answer):
    return struct.unpack_from("<I", answer, 4)[0] if answer[0] == 0x80 else 0


@pytest.fixture(scope="module")
def masters():
    return {name: master(name) for name in COLUMNS}


@pytest.mark.parametrize("row", list(rows()), ids=lambda r: f"{r[0]}-{r[1]:04X}-{r[2]}")
def test_a_type_has_the_objects_of_its_makers_dictionary(masters, row):
    name, index, sub, form, cell = row
    m = masters[name]
    answer = m.sdo(1, struct.pack("<BHB4x", 0x40, index, sub))
    if cell == "-":
        assert abort_of(answer) in (NO_OBJECT, NO_SUBINDEX)
        return
    assert abort_of(answer) == 0
    if cell != "+":
        assert m.read(1, index, sub, form) == int(cell, 0)


def test_a_fixed_value_cannot_be_written_and_a_limited_one_not_beyond_its_limits():
    m = master("epos4")
    assert m.write(1, 0x6066, 0, "H", 20) == READ_ONLY
    assert m.write(1, 0x60A9, 0, "I", 0x00B50300) == READ_ONLY
    assert m.write(1, 0x607F, 0, "I", 50_001) == RANGE
    assert m.write(1, 0x607F, 0, "I", 50_000) == 0
    assert m.write(1, 0x6099, 1, "I", 0) == RANGE


def test_a_type_that_rounds_holds_the_multiple_below():
    m = master("hil_emulated", steps={(0x6065, 0): 19_999 // 3})
    assert m.write(1, 0x6065, 0, "I", 20_000) == 0
    assert m.read(1, 0x6065, 0, "I") == 3 * (19_999 // 3)


@pytest.mark.parametrize(
    ("word", "per_metre"),
    [
        (0x00B50000, COUNTS_PER_M),
        (0x00B40000, 1 / LEAD_M),
        (0xFF410000, 3600 / LEAD_M),
        (0xFD410000, 360_000 / LEAD_M),
        (0x00B44700, 60 / LEAD_M),
        (0xFDB44700, 60_000 / LEAD_M),
        (0x00B40300, 1 / LEAD_M),
        (0x00C00300, 60 / LEAD_M),
    ],
)
def test_a_unit_word_is_a_power_of_ten_a_numerator_and_a_denominator(word, per_metre):
    assert Units.of(word, word, word, COUNTS_PER_M).speed_per_m_s == pytest.approx(per_metre)


@pytest.mark.parametrize("word", [0x00010000, 0x00B4AA00, 0x00B44701])
def test_a_unit_word_of_something_else_is_refused(word):
    with pytest.raises(UnitError):
        Units.of(word, 0x00B50300, 0x00B55700, COUNTS_PER_M)


def steady_speed_m_s(m, speed_units):
    """Let all six search for their switch by method 21 with this speed; how fast does rod 1 go?"""
    for node in NODES:
        assert m.write(node, 0x6098, 0, "b", 21) == 0
        for sub in (1, 2):
            assert m.write(node, 0x6099, sub, "I", speed_units) == 0
    for node in NODES:
        for comm, base in ((0x1400, 0x200), (0x1800, 0x180)):
            assert m.write(node, comm, 1, "I", 0x8000_0000 | base + node) == 0
            mapping = comm + 0x200
            assert m.write(node, mapping, 0, "B", 0) == 0
            words = (0x60400010, 0x60600008, 0x607A0020) if comm == 0x1400 else (
                0x60410010, 0x60610008, 0x60640020)  # fmt: skip
            for k, word in enumerate(words, 1):
                assert m.write(node, mapping, k, "I", word) == 0
            assert m.write(node, mapping, 0, "B", 3) == 0
            assert m.write(node, comm, 2, "B", 1) == 0
            assert m.write(node, comm, 1, "I", base + node) == 0
    m.nmt(1)
    m.enable(6)
    fastest = 0.0
    for _ in range(150):
        m.cycle(0x1F, 6, [0] * 6)
        fastest = max(fastest, abs(m.rack.rods[0].v_m_s))
    return fastest


@pytest.mark.parametrize(
    ("name", "speed_units"),
    [
        ("hil_emulated", 20_000),  # counts/s: 1e6 counts a metre
        ("epos4", 120),  # rpm: 2 turns a second of 10 mm
        ("cl4", 120),
        ("ipos", round(20_000 * 65.536)),  # 1/65536 counts a millisecond
        ("elmo_gold", 20_000),
    ],
)
def test_speeds_count_in_the_units_of_the_type(name, speed_units):
    kind = TYPES[name]
    methods = {} if kind.methods is None else {"methods": (21, *kind.methods)}
    slow = {**kind.defaults, (0x609A, 0): 0}  # 0: as fast as the drive can
    assert steady_speed_m_s(master(name, defaults=slow, **methods), speed_units) == pytest.approx(
        0.02, rel=0.1
    )


def test_the_position_unit_of_a_master_counts_at_once():
    """Nanotec's 0.1 degrees are 3600 a turn, 360000 a metre; increments are 1e6 a metre."""
    m = master("cl4")
    rod = m.rack.rods[0].x_m
    tenths = m.read(1, 0x6064, 0, "i")
    assert m.write(1, 0x60A8, 0, "I", 0x00B50000) == 0
    counts = m.read(1, 0x6064, 0, "i")
    assert counts == pytest.approx(tenths * 1e6 / 360_000, abs=3)
    assert m.write(1, 0x60A8, 0, "I", 0x00010000) == RANGE
    assert m.rack.rods[0].x_m == rod


def test_polarity_turns_the_sign_round():
    m = master("elmo_gold")
    before = m.read(1, 0x6064, 0, "i")
    assert m.write(1, 0x607E, 0, "B", 0x80) == 0
    assert m.read(1, 0x6064, 0, "i") == -before


REMOTE = 1 << 30


def guard(m, node):
    return [data for can_id, data in m.ask(REMOTE | 0x700 + node) if can_id == 0x700 + node]


def test_a_guard_request_is_answered_with_the_state_and_a_bit_that_toggles():
    m = master("ipos")
    assert guard(m, 1) == [b"\x7f"]
    assert guard(m, 1) == [b"\xff"]
    assert guard(m, 1) == [b"\x7f"]
    m.nmt(1)
    assert guard(m, 1) == [b"\x85"]
    assert guard(m, 2) == [b"\x05"]


def test_a_node_that_sends_heartbeats_answers_no_guard_request():
    m = master("ipos")
    assert m.write(1, 0x1017, 0, "H", 1000) == 0
    assert [d for d in guard(m, 1) if len(d) == 1 and d != b"\x7f"] == []


def test_requests_that_stay_away_for_the_life_time_are_a_lost_connection():
    m = master("ipos")
    assert m.write(1, 0x100C, 0, "H", 20) == 0
    assert m.write(1, 0x100D, 0, "B", 3) == 0
    m.nmt(1)
    m.wait(0.5)
    assert m.rack.nodes[0].drive.errors == {}  # nobody has guarded it yet
    for _ in range(20):
        guard(m, 1)
        m.wait(0.05)
        assert m.rack.nodes[0].drive.errors == {}
    frames = m.wait(0.02)
    assert [data[:2] for can_id, data in frames if can_id == 0x81] == [b"\x30\x81"]


def test_control_without_a_factor_nothing_is_supervised():
    m = master("ipos")
    assert m.write(1, 0x100C, 0, "H", 20) == 0
    m.nmt(1)
    guard(m, 1)
    m.wait(1.0)
    assert m.rack.nodes[0].drive.errors == {}


@pytest.mark.parametrize("first", [0xA0, 0xA4, 0xC0, 0xC6])
def test_block_transfers_are_refused_by_their_abort_code(first):
    m = master("hil_emulated")
    assert abort_of(m.sdo(1, struct.pack("<BHBB3x", first, 0x1008, 0, 10))) == UNKNOWN_COMMAND


def test_interpolated_position_is_all_that_ipos_has():
    m = master("ipos")
    assert m.write(1, 0x6060, 0, "b", 8) == RANGE
    assert m.write(1, 0x6060, 0, "b", 7) == 0


@pytest.mark.parametrize("name", COLUMNS)
def test_every_type_says_that_it_is_emulated(name):
    m = master(name)
    assert m.read(1, 0x1018, 1, "I") == 0
    told = m.rack.nodes[0].store.read(0x1008, 0).decode()
    assert told == f"HIL emulated drive, {name}"
