"""Units of drives: words by the tables of CiA 303-2 and CiA 402-2, speeds by closed forms.

Nothing here is worked out by the code under test: a screw of 5 mm and 4096 increments a turn make
819200 counts per metre, and what is one rpm or one degree a second of that is arithmetic.
"""

import math
import struct
from dataclasses import replace

import pytest
from canopen_bench import SETTINGS, six
from hypothesis import given
from hypothesis import strategies as st
from scripted_bench import Scripted

from drives.axes.scaling import LegScale
from drives.bank import DriveModelError, DriveSetupError
from drives.canopen.objects import MotionParameters, Parameter
from drives.canopen.units import LegUnits, UnitSetup
from drives.types.drive_type import DriveType
from drives.types.drive_units import Base, Unit, unit_of_text, unit_of_word, word_of_unit
from hil_common.legs import LegTarget

WAY_M, INCREMENTS = 0.005, 4096
COUNTS_PER_M = INCREMENTS / WAY_M


@pytest.mark.parametrize(
    ("word", "order", "factor", "base"),
    [
        (0x00B50000, 0, 1.0, Base.INCREMENT),
        (0xFF410000, 0, 0.1 / 360.0, Base.TURN),  # a tenth of a degree
        (0x00B40000, 0, 1.0, Base.TURN),
        (0xFD010000, 0, 1e-3, Base.METRE),
        (0x00100000, 0, 0.5 / math.pi, Base.TURN),  # radian
        (0x00B44700, 1, 1.0 / 60.0, Base.TURN),  # rpm
        (0xFDB44700, 1, 1e-3 / 60.0, Base.TURN),
        (0x00B50300, 1, 1.0, Base.INCREMENT),
        (0x01B50300, 1, 10.0, Base.INCREMENT),
        (0x00410300, 1, 1.0 / 360.0, Base.TURN),
        (0x00C00300, 2, 1.0 / 60.0, Base.TURN),  # rpm/s
        (0x00B55700, 2, 1.0, Base.INCREMENT),
        (0xFD015700, 2, 1e-3, Base.METRE),
    ],
)
def test_a_unit_word_says_what_the_standard_says(word, order, factor, base):
    unit = unit_of_word(word, order)
    assert unit.base is base
    assert unit.factor == pytest.approx(factor, rel=1e-12)
    assert unit_of_text(str(unit), order) == unit
    assert unit_of_word(word_of_unit(unit), order) == unit


@pytest.mark.parametrize(
    ("word", "order"),
    [(0, 1), (0x00B44700, 0), (0x00B50000, 1), (0x00AA0300, 1), (0x00B49900, 1), (0x00C00300, 1)],
)
def test_a_word_of_something_else_is_refused(word, order):
    with pytest.raises(DriveModelError, match=f"{word:08X}h"):
        unit_of_word(word, order)


@given(st.integers(0, 2**32 - 1), st.sampled_from([0, 1, 2]))
def test_any_word_is_a_unit_or_refused(word, order):
    try:
        unit = unit_of_word(word, order)
    except DriveModelError:
        return
    assert unit.factor > 0.0
    assert unit.order == order


class Drive:
    """Objects of a drive that hold what they may, and count what was written."""

    def __init__(self, fixed=(), **objects):
        self.objects = {_place(name): value for name, value in objects.items()}
        self.fixed = {_place(name) for name in fixed}

    def read(self, index, sub):
        return self.objects.get((index, sub))

    def set(self, index, sub, kind, value):
        if (index, sub) in self.fixed or (index, sub) not in self.objects:
            return False
        self.objects[index, sub] = value
        return True

    def units(self, type_=None, *, way_m=WAY_M, counts_per_m=COUNTS_PER_M):
        type_ = DriveType() if type_ is None else type_
        return UnitSetup(self.read, self.set, type_, counts_per_m, way_m).run()


def _place(name):
    index, _, sub = name.removeprefix("o").partition("_")
    return int(index, 16), int(sub or 0)


RPM = INCREMENTS / 60.0
"""Counts a second of one turn a minute."""


def test_a_drive_that_tells_nothing_counts_as_its_type_says():
    assert Drive().units() == LegUnits()
    rpm = DriveType(speed_unit="rpm", acceleration_unit="rpm/s")
    units = Drive().units(rpm)
    assert units.speed == pytest.approx(RPM)
    assert units.acceleration == pytest.approx(RPM)


def test_rpm_that_can_be_set_to_counts_is_set():
    drive = Drive(o60A9=0x00B44700, o60AA=0x00C00300)
    assert drive.units() == LegUnits(words="")
    assert drive.objects[0x60A9, 0] == 0x00B50300
    assert drive.objects[0x60AA, 0] == 0x00B55700


def test_rpm_that_cannot_be_set_is_converted_and_told():
    drive = Drive(("o60A9", "o60AA"), o60A9=0x00B44700, o60AA=0x00C00300)
    units = drive.units()
    assert units.speed == pytest.approx(RPM)
    assert units.acceleration == pytest.approx(RPM)
    assert units.words == "speed in rpm, acceleration in rpm/s"


def test_the_encoder_of_the_drive_says_what_a_turn_is_before_the_rig_does():
    drive = Drive(("o60A9",), o60A9=0x00B44700, o608F_1=8192, o608F_2=2)
    assert drive.units(way_m=None).speed == pytest.approx(RPM)


def test_a_turn_that_nobody_tells_is_refused_with_the_remedy():
    drive = Drive(("o60A9",), o60A9=0x00B44700)
    with pytest.raises(DriveSetupError, match=r"counts in rpm, .*way_per_turn_m would"):
        drive.units(way_m=None)
    unset = Drive(("o60A9",), o60A9=0x00B44700, o608F_1=1, o608F_2=1)
    with pytest.raises(DriveSetupError, match="way_per_turn_m"):
        unset.units(way_m=None)


def test_positions_in_another_unit_than_the_drive_file_are_set_or_refused():
    tenths = DriveType(position_unit="0.1 deg")
    drive = Drive(o60A8=0x00B50000)
    told = drive.units(tenths, counts_per_m=3600 / WAY_M).reported_counts_per_m
    assert drive.objects[0x60A8, 0] == 0xFF410000
    assert told == pytest.approx(720_000.0)
    with pytest.raises(DriveSetupError, match=r"60A8h = 00B50000h.* cannot be set to 0.1 deg"):
        Drive(("o60A8",), o60A8=0x00B50000).units(tenths)


@pytest.mark.parametrize(
    ("objects", "type_", "way_m", "told"),
    [
        # 608Fh to 6092h, the feed in micrometres: 5000 a turn.
        ({"o608F_1": 4096, "o608F_2": 1, "o6092_1": 5000, "o6092_2": 1}, {}, None, 819_200.0),
        # A gear of 3: three turns of the motor, and 15 mm, for one of the shaft.
        ({"o608F_1": 4096, "o608F_2": 1, "o6091_1": 3, "o6091_2": 1,
          "o6092_1": 15_000, "o6092_2": 1}, {}, None, 819_200.0),
        ({"o608F_1": 4096, "o608F_2": 1, "o6092_1": 5, "o6092_2": 1},
         {"feed_unit": "mm"}, None, 819_200.0),
        # The feed in units of position: the way is the rig's.
        ({"o608F_1": 4096, "o608F_2": 1, "o6092_1": 4096, "o6092_2": 1},
         {"feed_unit": "counts"}, 0.005, 819_200.0),
        ({"o6092_1": 4096, "o6092_2": 1}, {"feed_unit": "counts"}, None, None),
        # A feed of 1 is one that nobody has set up: the encoder and the rig's way.
        ({"o608F_1": 4096, "o608F_2": 1, "o6092_1": 1, "o6092_2": 1}, {}, 0.005, 819_200.0),
        ({"o608F_1": 4096, "o608F_2": 1, "o6092_1": 1, "o6092_2": 1}, {}, None, None),
        ({"o60A8": 0xFA010000}, {}, None, 1e6),  # counts that are micrometres
        ({}, {}, 0.005, None),
    ],
)  # fmt: skip
def test_the_scale_that_a_drive_tells(objects, type_, way_m, told):
    found = Drive(**objects).units(DriveType(**type_), way_m=way_m).reported_counts_per_m
    assert found == (None if told is None else pytest.approx(told))


def test_a_velocity_factor_that_cannot_be_set_is_the_unit_of_speed():
    """6096h: 60 / 4096 makes rpm of counts a second."""
    drive = Drive(("o6096_1", "o6096_2"), o6096_1=60, o6096_2=4096)
    assert drive.units().speed == pytest.approx(RPM)
    assert Drive(o6096_1=60, o6096_2=4096).units().speed == 1.0


def test_a_velocity_factor_against_the_unit_of_speed_is_refused():
    drive = Drive(("o6096_1", "o60A9"), o6096_1=7, o6096_2=1, o60A9=0x00B44700)
    with pytest.raises(DriveSetupError, match=r"by 60A9h and .* by 6096h"):
        drive.units()


@pytest.mark.parametrize(("held", "sign"), [(0x00, 1), (0x80, -1), (0x40, -1), (0xC0, 1)])
def test_a_polarity_that_cannot_be_set_turns_speeds_that_run_against_positions(held, sign):
    assert Drive(("o607E",), o607E=held).units().speed == sign
    free = Drive(o607E=held)
    assert free.units().speed == 1.0
    assert free.objects[0x607E, 0] == 0


def in_rpm(**changes):
    changed = replace(SETTINGS, **changes)
    units = LegUnits(speed=RPM, acceleration=RPM)
    made = MotionParameters(changed, LegScale(COUNTS_PER_M, 1, 0.7), units, 0, 0.004)
    return {parameter.place: parameter for parameter in made}


def test_what_is_written_to_a_drive_in_rpm_by_a_screw_of_5_mm():
    """v / 5 mm * 60: 0.05 m/s are 600 rpm, 0.02 m/s are 240, 2 m/s2 are 24000 rpm/s."""
    held = in_rpm()
    assert held["6099h:1"].value == 600
    assert held["6099h:2"].value == 240
    assert held["609Ah:0"].value == 24_000
    assert held["607Fh:0"].value == 7_200  # 0.6 m/s
    assert held["6085h:0"].value == 72_000  # 6 m/s2
    assert held["60C5h:0"].value == 96_000  # 8 m/s2


@given(st.floats(1e-4, 0.5), st.floats(1e-3, 20.0))
def test_no_speed_and_no_acceleration_is_larger_than_asked(speed_m_s, acceleration_m_s2):
    held = in_rpm(
        homing_speed_m_s=speed_m_s,
        speed_max_m_s=six(speed_m_s),
        homing_acceleration_m_s2=acceleration_m_s2,
        acceleration_max_m_s2=six(acceleration_m_s2),
    )
    for place in ("6099h:1", "607Fh:0"):
        assert held[place].value * WAY_M / 60.0 <= speed_m_s * (1.0 + 1e-8)
        assert not held[place].takes(held[place].value + 1)
    for place in ("609Ah:0", "60C5h:0"):
        assert held[place].value * WAY_M / 60.0 <= acceleration_m_s2 * (1.0 + 1e-8)
        assert not held[place].takes(held[place].value + 1)


def test_a_speed_below_one_unit_is_refused_with_the_unit():
    with pytest.raises(DriveSetupError, match=r"homing speed of 5e-05 m/s is less .* 8.33333e-05"):
        in_rpm(homing_speed_m_s=5e-5)


@pytest.mark.parametrize(
    ("place", "below", "above"),
    [
        ("6065h:0", 14_746, 16_384),  # following window of 20 mm: a tenth tighter, never wider
        ("6066h:0", 0, 20),  # following time: never longer
        ("607Fh:0", 1, 7_200),
        ("6099h:1", 1, 600),
        ("609Ah:0", 1, 24_000),
        ("60C5h:0", 1, 96_000),
        ("6085h:0", 71_928, 72_072),  # quick stop: as asked, but for rounding
    ],
)
def test_how_far_a_drive_may_hold_something_else(place, below, above):
    parameter = in_rpm()[place]
    assert parameter.takes(below)
    assert parameter.takes(above)
    assert not parameter.takes(below - 1)
    assert not parameter.takes(above + 1)


def test_software_limits_may_lie_inside_and_never_outside():
    held = in_rpm()
    lower, upper = held["607Dh:1"], held["607Dh:2"]
    assert lower.takes(lower.value + 500)
    assert not lower.takes(lower.value - 1)
    assert upper.takes(upper.value - 500)
    assert not upper.takes(upper.value + 1)


def test_a_value_outside_of_the_range_of_a_type_is_brought_to_its_safe_end():
    type_ = DriveType(ranges=(("607Fh:0", 1, 50_000), ("6066h:0", 0, 0), ("605Ah:0", 0, 5)))
    speed = Parameter(0x607F, 0, "u32", 600_000, "largest speed", less=599_999)
    assert speed.for_type(type_).value == 50_000
    assert not speed.for_type(type_).takes(600_001)
    time = Parameter(0x6066, 0, "u16", 20, "following time", less=20)
    assert time.for_type(type_).value == 0
    option = Parameter(0x605A, 0, "i16", 6, "quick stop option", others=(2,))
    assert option.for_type(type_).value == 2
    exact = Parameter(0x607F, 0, "u32", 600_000, "speed")
    assert exact.for_type(type_).value == 600_000  # the drive will refuse it


def u32(value):
    return struct.pack("<I", value)


def scripted(**changes):
    return Scripted(replace(SETTINGS, **changes))


def test_speeds_of_a_drive_in_rpm_come_in_si_and_go_in_rpm():
    made = Scripted(
        replace(
            SETTINGS,
            type=DriveType(speed_unit="rpm", acceleration_unit="rpm/s"),
            way_per_turn_m=six(0.01),
            speed_feed_forward=True,
        ),
        period_s=0.005,
    )
    made.enabled()
    made.run(1)
    before = len(made.bus.sent)
    made.bus.put(0x281, "2C010000 0000")  # 300 rpm of 10 mm: 0.05 m/s
    feedback = made.run(1, LegTarget((0.7, 0.71, 0.72, 0.73, 0.74, 0.75), (0.1,) + (0.0,) * 5))
    assert feedback.speed_m_s[0] == pytest.approx(0.05)
    assert feedback.accepted.speed_m_s[0] == pytest.approx(0.1)
    sent = {frame.can_id: frame.data for frame in made.bus.sent[before:]}
    assert sent[0x301] == u32(600)  # 0.1 m/s of 10 mm a turn


def test_a_rounded_window_is_taken_and_told():
    made = scripted()
    made.node(2).keeps = {(0x6065, 0): u32(19_999)}
    report = made.bank.configure()
    assert "following window (6065h:0) 19999 for 20000" in report.axes[1]


@pytest.mark.parametrize(
    ("place", "kept"),
    [
        ((0x6065, 0), u32(20_001)),
        ((0x607F, 0), u32(600_001)),
        ((0x6099, 1), u32(50_001)),
        ((0x1016, 1), u32(127 << 16 | 51)),
        ((0x1016, 1), u32(126 << 16 | 50)),
        ((0x1400, 5), b"\x33\0"),
        ((0x6066, 0), b"\x15\0"),
    ],
)
def test_nothing_on_the_unsafe_side_is_taken(place, kept):
    made = scripted()
    made.node(3).keeps = {place: kept}
    with pytest.raises(DriveSetupError, match=rf"leg 3 .*{place[0]:04X}h:{place[1]}"):
        made.bank.configure()


def test_a_unit_is_a_positive_number():
    with pytest.raises(DriveModelError, match="is none"):
        Unit(0.0, Base.TURN, 1)
