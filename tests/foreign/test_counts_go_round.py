"""Absolute encoders whose count of 32 bits goes round in the travel: the place stays right.

The judge is the plant of foreign slaves, and arithmetic of unbounded whole numbers.
"""

import dataclasses
import itertools
import math
import tomllib
from pathlib import Path

import pytest
from drive402 import Drive402, identity_rows
from electro_cylinder import ElectroCylinder
from habits import Habits
from hypothesis import given
from hypothesis import strategies as st
from maker_rows import schunk_prl120
from object_dictionary import ObjectDictionary, Row
from servo_registers import ServoRegisters
from slave_rows import profile_rows
from units import Mechanics
from virtual_rack import VirtualRack

from drives.axes.known_place import KnownPlace
from drives.axes.scaling import LegScale, SixScales
from drives.bank import (
    DriveCommandError,
    DriveGoal,
    DriveSetupError,
    DriveState,
    LegCommand,
)
from drives.canopen.bank import CanopenBank
from drives.canopen.settings import CanopenSettings
from drives.modbus.codec import AxisOrder, CycleCodec
from drives.modbus.cut import axis_answers
from drives.modbus.errors import ModbusExceptionError
from drives.modbus.register_map import register_map_from
from drives.modbus.rival import RivalWatch
from drives.modbus.settings import ModbusSettings
from drives.modbus.setup import DeviceSetup
from drives.modbus.words import LegWords
from drives.types.drive_type import DriveType

PERIOD_S = 0.01
CLOSED_M = 0.64
ALL = 2**32
HALF = 2**31
SERVO_MAP = Path(__file__).with_name("foreign_servo.toml")


def six(value):
    return (value,) * 6


SETTINGS = CanopenSettings(
    length_min_m=six(CLOSED_M + 0.005),
    length_max_m=six(CLOSED_M + 0.735),
    speed_max_m_s=six(0.5),
    acceleration_max_m_s2=six(6.0),
    quick_stop_deceleration_m_s2=six(5.0),
    rated_force_n=six(4000.0),
    absolute=True,
    scale_told=False,
)
ROUND_M = 0.33
"""Where each encoder goes from its largest count to its least: in the middle of the travel."""


def signed(count):
    """By the book: what is stored of a whole number in 32 bits with a sign bit."""
    low = count % ALL
    return low - ALL if low >= HALF else low


# --- the plant of foreign slaves ------------------------------------------------------------------


class Ride:
    """A bank on foreign slaves whose counts go round, and the path that it is led along."""

    def __init__(self, *, changes=(), sign=1, type_=None, pdos=(4, 4), **rack):
        counts_per_m = 1e6
        zeros_m = six(ROUND_M - sign * (HALF - 0.5) / counts_per_m)
        self.rack = VirtualRack(
            changes, Habits(absolute=True, homing_methods=(), boot_s=0.1),
            sign=sign, zeros_m=zeros_m, pdos=pdos, **rack,
        )  # fmt: skip
        settings = SETTINGS if type_ is None else dataclasses.replace(SETTINGS, type=type_)
        drives = self.rack.drives
        scales = tuple(
            LegScale(counts_per_m, sign, CLOSED_M + drive.rod.place_m,
                     reference_count=drive.objects.number(0x6064))
            for drive in drives
        )  # fmt: skip
        who = tuple(f"vendor 3854, product 1026, serial {70_001 + leg}" for leg in range(6))
        place = KnownPlace(self.true_m, 0.001, "where it was left", who)
        self.bank = CanopenBank(
            [self.rack], settings, scales, PERIOD_S, now_s=self.rack.now_s, place=place
        )
        self.report = None

    @property
    def true_m(self):
        return tuple(CLOSED_M + drive.rod.place_m for drive in self.rack.drives)

    def exchange(self, command=None):
        due_s = self.rack.now + PERIOD_S
        feedback = self.bank.exchange(command)
        self.rack.move_to(due_s)
        return feedback

    def enabled(self):
        self.report = self.bank.configure()
        for goal in (DriveGoal.HOMED, DriveGoal.ENABLED):
            self.bank.request(goal)
            for _ in range(40):
                feedback = self.exchange()
        assert feedback.state == six(DriveState.ENABLED), self.bank.waiting
        return feedback


@pytest.mark.parametrize("sign", [1, -1])
def test_the_place_stays_right_over_the_wrap_there_and_back(sign):
    ride = Ride(sign=sign)
    start = ride.enabled().length_m
    assert start == pytest.approx(ride.true_m, abs=2e-6)
    seen, worst_m, demand = set(), 0.0, start
    for step in range(200):
        way_m = 0.05 * (1.0 - math.cos(2.0 * math.pi * step / 200.0))
        demand = tuple(x + way_m for x in start)
        feedback = ride.exchange(LegCommand(demand, six(0.0)))
        seen |= {drive.objects.number(0x607A) > 0 for drive in ride.rack.drives}
        assert feedback.state == six(DriveState.ENABLED)
        assert feedback.accepted.length_m == pytest.approx(demand, abs=1e-6)
        worst_m = max(worst_m, *(abs(a - b) for a, b in zip(ride.true_m, demand, strict=True)))
    assert seen == {True, False}, "the targets went round, and back"
    assert worst_m < 0.012, "the rods followed"
    assert feedback.length_m == pytest.approx(ride.true_m, abs=1e-3)
    end = ride.bank.close()
    assert end.left_m == pytest.approx(ride.true_m, abs=1e-4), "what is kept as known place"
    assert all(drive.news == [] for drive in ride.rack.drives)


def test_no_software_limit_shuts_the_way_and_that_is_told():
    ride = Ride()
    ride.enabled()
    for drive in ride.rack.drives:
        assert drive.objects.number(0x607D, 1) == -HALF
        assert drive.objects.number(0x607D, 2) == HALF - 1
    assert all("607Dh" in line and "goes round" in line for line in ride.report.axes)


def test_a_short_dictionary_goes_round_as_well():
    lacks = tuple(
        f"{index:04X}h"
        for index in (
            0x1006, 0x1029, 0x6007, 0x603F, 0x605A, 0x605B, 0x605C, 0x605D, 0x605E, 0x6066, 0x607D,
            0x607F, 0x6084, 0x6085, 0x60B1, 0x60C0, 0x60C5, 0x60C6, 0x60F4, 0x60FD,
        )
    )  # fmt: skip
    type_ = DriveType(name="short", lacks=("1400h:5", *lacks))
    ride = Ride(changes=(schunk_prl120,), type_=type_, pdos=(2, 4))
    start = ride.enabled().length_m
    for step in range(100):
        feedback = ride.exchange(LegCommand(tuple(x + 0.001 * step for x in start), six(0.0)))
    assert feedback.length_m == pytest.approx([x + 0.098 for x in start], abs=0.012)
    assert feedback.length_m == pytest.approx(ride.true_m, abs=2e-3)


def test_a_rod_that_was_turned_over_the_wrap_is_refused_by_its_true_distance():
    ride = Ride()
    rod = ride.rack.drives[2].rod
    rod.place_m += 0.1
    with pytest.raises(Exception, match=r"leg 3 stands \+100.0 mm from where it was left"):
        ride.bank.configure()


def on_the_brink(drives, words=1):
    """Rods at rest whose encoders tell the largest count and the least in turn, each so often."""
    for drive in drives:
        flips = itertools.cycle((HALF - 1,) * words + (-HALF,) * words)
        drive.objects.rows[0x6064, 0].live = flips.__next__


def test_a_rod_at_rest_on_the_brink_stands_still():
    ride = Ride(places_m=six(ROUND_M))
    start_m = ride.true_m
    on_the_brink(ride.rack.drives)
    feedback = ride.enabled()
    assert feedback.length_m == pytest.approx(start_m, abs=2e-6), "and not half a circle away"
    assert feedback.speed_m_s == pytest.approx(six(0.0), abs=1e-3)
    assert feedback.fault_code == (0,) * 6
    assert ride.true_m == pytest.approx(start_m, abs=2e-6)


def test_homing_over_the_wrap_is_no_runaway_nor_too_fast():
    """Incremental encoders wake up anywhere: the slow stages and homing itself pass the wrap."""
    rack = VirtualRack(
        habits=Habits(boot_s=0.1), places_m=six(0.0270), zeros_m=six(0.0271 - (HALF - 0.5) / 1e6)
    )
    settings = dataclasses.replace(SETTINGS, absolute=False, first_motion="always")
    scales = (LegScale(1e6, 1, CLOSED_M + 0.03),) * 6
    bank = CanopenBank([rack], settings, scales, PERIOD_S, now_s=rack.now_s)
    bank.configure()
    bank.request(DriveGoal.HOMED)
    before, wrapped = rack.drives[0].objects.number(0x6064), False
    for _ in range(4000):
        due_s = rack.now + PERIOD_S
        feedback = bank.exchange(None)
        wrapped = wrapped or rack.drives[0].objects.number(0x6064) < 0
        rack.move_to(due_s)
        if all(feedback.homed):
            break
    assert before > 0
    assert wrapped
    assert feedback.homed == six(True), bank.waiting
    true_m = [CLOSED_M + drive.rod.place_m for drive in rack.drives]
    assert feedback.length_m == pytest.approx(true_m, abs=1e-4)


# --- arithmetic ----------------------------------------------------------------------------------

counts = st.integers(-HALF, HALF - 1)


@given(
    reference=counts,
    per_m=st.floats(1e3, 2e9),
    share=st.floats(-0.999, 0.999),
    sign=st.sampled_from([1, -1]),
    length_m=st.floats(0.1, 5.0),
)
def test_any_reference_gives_the_same_lengths(reference, per_m, share, sign, length_m):
    """As far as 2^31 counts either way from the reference, in feedback and in targets."""
    scale = LegScale(per_m, sign, length_m, reference_count=reference)
    way = int(share * HALF)
    told = signed(reference + sign * way)
    there_m = length_m + way / per_m
    assert scale.length_m(told) == pytest.approx(there_m, abs=1e-9 + 1.0 / per_m)
    rounding = there_m * per_m * 4e-15
    assert abs(signed(scale.counts(there_m) - told)) <= 1 + abs(rounding)
    six_scales = SixScales((scale,) * 6)
    assert six_scales.lengths_m(six(told)) == six(scale.length_m(told))
    assert six_scales.counts(six(there_m)) == six(scale.counts(there_m))
    assert -HALF <= scale.counts(there_m) < HALF


@given(reference=counts, sign=st.sampled_from([1, -1]))
def test_what_lies_further_is_refused(reference, sign):
    scale = LegScale(1e9, sign, 1.0, reference_count=reference)
    for length_m in (1.0 + 2.2, 1.0 - 2.2, math.nan, math.inf):
        with pytest.raises(DriveCommandError):
            scale.counts(length_m)
        with pytest.raises(DriveCommandError, match="leg 1"):
            SixScales((scale,) * 6).counts(six(length_m))


@given(
    reference=counts,
    sign=st.sampled_from([1, -1]),
    low=st.integers(-(10**6), 10**6),
    span=st.integers(1, 10**6),
)
def test_limits_hold_just_the_counts_between_the_ends(reference, sign, low, span):
    scale = LegScale(1e6, sign, 1.0, reference_count=reference)
    bounds = scale.range_counts(1.0 + low * 1e-6, 1.0 + (low + span) * 1e-6)
    ends = sorted(signed(reference + sign * way) for way in (low, low + span))
    whole = [reference + sign * way for way in (low, low + span)]
    if (min(whole) + HALF) // ALL == (max(whole) + HALF) // ALL:
        assert list(bounds) == ends
    else:
        assert bounds == (-HALF, HALF - 1), "nothing is shut out where the count goes round"


# --- registers of 32 bits -------------------------------------------------------------------------


class Registers:
    """Six foreign servos as a gateway reads and writes them, without a wire."""

    url = "memory:"

    def __init__(self, sign):
        self.drives, self.units = [], []
        for leg in range(6):
            rows = profile_rows() | identity_rows(1, 2, 3 + leg, "Servo")
            rows[0x2000, 0], rows[0x2001, 0] = Row("I", 1_000_000, "ro"), Row("H", 0)
            rows[0x60C2, 1].value = 10
            objects = ObjectDictionary(rows)
            place_m = 0.28 + 0.01 * leg
            zero_m = ROUND_M - sign * (HALF - 0.5) / 1e6
            habits = Habits(absolute=True)
            rod = ElectroCylinder(place_m)
            drive = Drive402(objects, rod, Mechanics(), habits, sign=sign, zero_m=zero_m)
            self.drives.append(drive)
            self.units.append(ServoRegisters(objects))

    def connect(self):
        pass

    def identify(self, unit):
        raise ModbusExceptionError(unit, 43, 1, "identification")

    def read(self, unit, address, count):
        return self.units[unit - 1].read(address, count)

    def write(self, unit, address, values):
        self.units[unit - 1].write(address, list(values))


def test_a_rod_on_the_brink_is_not_in_motion_behind_a_gateway_either():
    gateway = Registers(1)
    on_the_brink(gateway.drives, words=2)
    map_ = register_map_from(tomllib.loads(SERVO_MAP.read_text()), "foreign_servo.toml")
    watch = RivalWatch(map_, (LegScale(1e6, 1, 1.0),) * 6, PERIOD_S, watches=True)
    watch.refuse(gateway)
    creeping = itertools.count(HALF - 1, 50)
    gateway.drives[2].objects.rows[0x6064, 0].live = lambda: signed(next(creeping))
    with pytest.raises(DriveSetupError, match=r"leg 3 moved by [\d.]+ mm"):
        watch.refuse(gateway)


@pytest.mark.parametrize("sign", [1, -1])
def test_registers_go_round_as_well(sign):
    gateway = Registers(sign)
    map_ = register_map_from(tomllib.loads(SERVO_MAP.read_text()), "foreign_servo.toml")
    scales = tuple(
        LegScale(1e6, sign, CLOSED_M + drive.rod.place_m,
                 reference_count=drive.objects.number(0x6064))
        for drive in gateway.drives
    )  # fmt: skip
    settings = ModbusSettings(
        six(CLOSED_M + 0.005), six(CLOSED_M + 0.735), six(0.5), six(6.0), six(4000.0), absolute=True
    )
    DeviceSetup(map_, settings, scales, PERIOD_S).run(gateway)
    bounds = {
        tuple(drive.objects.number(0x607D, sub) for sub in (1, 2)) for drive in gateway.drives
    }
    assert bounds == {(-HALF, HALF - 1)}
    codec, words = CycleCodec(map_), LegWords(map_, scales, six(4000.0))
    start, targets, lengths = words.measured(axis_answers(gateway, map_))[0], set(), None
    assert start == pytest.approx([CLOSED_M + d.rod.place_m for d in gateway.drives], abs=2e-6)
    for step in range(130):
        controlword = (0x06, 0x07, 0x0F)[min(step // 10, 2)]
        ahead_m = 0.001 * max(0, step - 30)
        command = LegCommand(tuple(x + ahead_m for x in start), six(0.0))
        counts, speeds = words.counts(command)
        targets |= {count > 0 for count in counts}
        for leg in range(6):
            order = AxisOrder(controlword, 8, counts[leg], speeds[leg])
            gateway.write(leg + 1, map_.write.address, codec.encode(step, [order]))
        for _ in range(10):
            for drive in gateway.drives:
                drive.step(0.001)
        lengths = words.measured(axis_answers(gateway, map_))[0]
    assert targets == {True, False}
    assert lengths == pytest.approx([x + 0.099 for x in start], abs=0.012)
    assert lengths == pytest.approx([CLOSED_M + d.rod.place_m for d in gateway.drives], abs=2e-6)
