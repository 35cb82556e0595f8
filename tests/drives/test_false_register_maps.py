"""One number of a register map is wrong, or two are exchanged: refused, stopped, or never homed.

Two registers of settings that the drive holds alike are told apart by nobody on the wire, and nor
is the force: docs/modbus.md says so.
"""

import copy
import random
from dataclasses import dataclass

import pytest
from campaign import SHARE, count
from modbus_bench import BenchBank, RackThread, shipped_table

from drives.bank import DriveError, DriveGoal
from drives.modbus.register_map import register_map_from
from drives.modbus.register_table import RegisterMapError

SEED = 17
"""Draws the cases of a share."""
FIRST_MOTION_M = 0.002
CYCLES = 1500
UNSEEN = "read.axis.force"
EXCHANGED = (
    ("write.axis", "controlword", "mode"),
    ("read.axis", "statusword", "mode_display"),
    ("read.axis", "statusword", "inputs"),
    ("read.axis", "mode_display", "error_code"),
    ("read.axis", "error_code", "inputs"),
    ("read.axis", "position", "speed"),
    ("read", "echo", "boot_count"),
    ("parameters.offsets", "following_time_ms", "homing_method"),
    ("parameters.offsets", "rated_force", "supported_modes"),
    ("parameters.offsets", "counts_per_m", "serial_number"),
)


def table_of(table, way):
    for key in way.split(".") if way else ():
        table = table[key]
    return table


def numbers(table, way=""):
    """Every number of a map, as the way to it."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from numbers(value, f"{way}{key}.")
        elif type(value) is int:
            yield f"{way}{key}"


def shifted(place):
    table = copy.deepcopy(shipped_table())
    way, _, key = place.rpartition(".")
    table_of(table, way)[key] += 1
    return table


def exchanged(way, one, other):
    table = copy.deepcopy(shipped_table())
    part = table_of(table, way)
    part[one], part[other] = part[other], part[one]
    return table


def built(table):
    try:
        return register_map_from(table, "false.toml")
    except RegisterMapError:
        return None


FALSE = {f"{place} + 1": shifted(place) for place in numbers(shipped_table()) if place != UNSEEN}
FALSE |= {f"{way}: {one}, {other}": exchanged(way, one, other) for way, one, other in EXCHANGED}
FALSE["word_order"] = shipped_table() | {"word_order": "little"}
FALSE["units"] = shipped_table() | {"units": [2]}
POSSIBLE = {case: map_ for case, table in FALSE.items() if (map_ := built(table)) is not None}
"""Those that are maps at all: the others are refused when they are read."""


@dataclass
class End:
    """How far a false map was believed."""

    refused: str
    homed: bool
    furthest_m: float


def driven(map_):
    """Home drives by a map, beginning with the first motion."""
    rack = RackThread("tcp")
    bank = BenchBank(
        rack, 0.01, map_, answer_timeout_s=0.2, setup_timeout_s=1.0, first_motion="always"
    )
    rods = rack.core.rods
    before_m = [rod.x_m for rod in rods]
    end = End("", False, 0.0)
    try:
        bank.configure()
        bank.request(DriveGoal.HOMED)
        for _ in range(CYCLES):
            feedback = bank.exchange(None)
            ways_m = [abs(rod.x_m - x_m) for rod, x_m in zip(rods, before_m, strict=True)]
            end.furthest_m = max(end.furthest_m, *ways_m)
            end.homed = all(feedback.homed)
            if end.homed or any(feedback.fault_code):
                break
    except DriveError as error:
        end.refused = str(error)
    finally:
        bank.close()
    return end


def test_most_wrong_numbers_make_no_map_at_all():
    assert len(FALSE) - len(POSSIBLE) >= 30


def some(cases):
    return random.Random(SEED).sample(sorted(cases), count(len(cases), least=4))


@pytest.mark.campaign
@pytest.mark.parametrize("case", some(POSSIBLE))
def test_a_false_map_homes_no_drive(case):
    print(f"seed {SEED}, share {SHARE:g}")
    end = driven(POSSIBLE[case])
    assert not end.homed
    if "homing_method" not in case:  # the drive itself does not find its switch
        assert end.furthest_m <= FIRST_MOTION_M


@pytest.mark.campaign
@pytest.mark.skipif(SHARE < 1.0, reason="the control of a campaign: the map is used elsewhere")
def test_the_true_map_homes_them():
    end = driven(built(shipped_table()))
    assert end == End("", True, end.furthest_m)
    assert end.furthest_m > 0.0
