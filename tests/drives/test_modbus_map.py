"""Register maps: the shipped one, and every way in which one can be wrong."""

import copy
import tomllib
from pathlib import Path

import pytest

from drives.modbus.register_map import WordOrder, register_map_from
from drives.modbus.register_table import RegisterMapError

SHIPPED = Path(__file__).parents[2] / "configs" / "drives" / "hil_rack.toml"


@pytest.fixture
def table():
    return copy.deepcopy(tomllib.loads(SHIPPED.read_text()))


def test_the_shipped_map_is_one_request_per_cycle(table):
    map_ = register_map_from(table, "hil_rack.toml")
    assert map_.units == (1,)
    assert map_.word_order is WordOrder.BIG
    assert (map_.write.address, map_.write.count) == (0, 37)
    assert (map_.read.address, map_.read.count) == (100, 61)
    assert map_.proves_answers
    assert map_.parameter(5, "software_limit_max")[:2] == ("software_limit_max", 1204)
    assert map_.parameter(0, "nonsense") is None
    assert [map_.unit_of_leg(leg) for leg in range(6)] == [1] * 6


def test_six_units_have_one_axis_each(table):
    table["units"] = [11, 12, 13, 14, 15, 16]
    map_ = register_map_from(table, "six.toml")
    assert (map_.write.count, map_.read.count) == (7, 11)
    assert [map_.unit_of_leg(leg) for leg in range(6)] == [11, 12, 13, 14, 15, 16]
    assert map_.parameter(5, "counts_per_m").offset == 1000


def test_a_map_without_an_echo_does_not_claim_to_prove_answers(table):
    del table["read"]["echo"]
    assert not register_map_from(table, "x").proves_answers


def put(path, value):
    def change(table):
        *way, key = path.split(".")
        for step in way:
            table = table[step]
        if value is None:
            del table[key]
        else:
            table[key] = value

    return change


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (put("colour", "red"), r"m.toml: colour is unknown; known: .*units"),
        (put("write.colour", 1), r"write.colour is unknown"),
        (put("write.axis.colour", 1), r"write.axis.colour is unknown; known: controlword"),
        (put("parameters.offsets.colour", 1), r"parameters.offsets.colour is unknown"),
        (put("drive.name", None), r"drive.name is missing"),
        (put("drive.name", 3), r"drive.name is 3, a text is needed"),
        (put("word_order", "middle"), r"word_order is 'middle', \"big\" or \"little\" is needed"),
        (put("units", []), r"units is \[\], a list of 1, 2, 3 or 6 units"),
        (put("units", [1, 2, 3, 4]), r"a list of 1, 2, 3 or 6 units"),
        (put("units", [0]), r"units holds 0, unit addresses 1 to 247"),
        (put("units", [True]), r"units holds True"),
        (put("units", [1, 1]), r"each unit may stand there once"),
        (put("write.address", -1), r"write.address is -1, a whole number from 0 to 65535"),
        (put("write.address", 1.0), r"write.address is 1.0, a whole number"),
        (put("write.address", True), r"write.address is True, a whole number"),
        (put("write.address", 65500), r"write.address is 65500, 65499 at most"),
        (put("write", 3), r"write is 3, a table is needed"),
        (put("write.axis.controlword", None), r"write.axis.controlword is missing"),
        (put("read.axis.position", None), r"read.axis.position is missing"),
        (put("read.axis.mode_display", 0), r"mode_display is 0 and overlaps statusword; 1 or more"),
        (put("read.axis.speed", 5), r"speed is 5 and overlaps position; 6 or more"),
        (put("read.axis.position", 9), r"position is 9, a whole number from 0 to 8"),
        (put("write.stride", 7), r"write leaves register 7 without a meaning"),
        (put("write.first_axis", 2), r"write leaves register 1 without a meaning"),
        (put("write.axis.target_speed", None), r"write leaves register 5 without a meaning"),
        (put("write.stride", 24), r"write.stride is 24 and makes a block of 127 .* holds 121"),
        (put("read.stride", 24), r"read.stride is 24 and makes a block of 131 .* holds 125"),
        (put("read.echo", 30), r"read.echo is 30 and lies in the axes, 2 to 60"),
        (put("read.boot_count", 0), r"read.boot_count is 0, the place of echo"),
        (put("write.sequence", None), r"read.echo has nothing to echo; write.sequence is needed"),
        (put("read.address", 36), r"read begins at register 36 and overlaps write; 37 or more"),
        (put("watchdog_address", 160), r"watchdog_address begins at register 160 and overlaps"),
        (put("parameters.address", 200), r"parameters begins .* overlaps watchdog_address; 201"),
        (put("parameters.address", 65400), r"parameters.address is 65400, the last axis ends"),
        (put("identification.serial", "1"), r"identification.serial is unknown"),
    ],
)
def test_a_wrong_map_is_refused_and_told_what_would_be_right(table, change, text):
    change(table)
    with pytest.raises(RegisterMapError, match=text):
        register_map_from(table, "m.toml")


def test_blocks_of_the_longest_request_are_accepted_and_one_register_more_is_not(table):
    table["watchdog_address"] = 500
    table["read"].update(stride=22, first_axis=2)
    table["read"]["axis"]["force"] = 12
    assert register_map_from(table, "m").read.count == 125
    table["read"]["axis"]["force"] = 13
    with pytest.raises(RegisterMapError, match="block of 126"):
        register_map_from(table, "m")


def test_the_shipped_servo_map_is_read_and_names_its_manual():
    path = SHIPPED.with_name("nanotec_modbus_rtu.toml")
    map_ = register_map_from(tomllib.loads(path.read_text()), path.name)
    assert map_.axes_per_unit == 1
    assert map_.watchdog_type.registers == 2
    assert (map_.write.address, map_.write.count) == (6000, 8)
    assert (map_.read.address, map_.read.count) == (5000, 10)
    assert "Process" in path.read_text()
    assert "Nobody has tried this file on metal" in path.read_text()


@pytest.mark.parametrize(
    ("zeros", "words"), [([2], "lies in the axes"), ([-1], "from 0 to"), ("x", "a list of numbers")]
)
def test_registers_without_a_meaning_are_named_and_checked(table, zeros, words):
    table["write"]["zeros"] = zeros
    with pytest.raises(RegisterMapError, match=words):
        register_map_from(table, "zeros.toml")
