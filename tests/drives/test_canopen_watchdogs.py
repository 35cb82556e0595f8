"""Time-outs of a drive file ([[timers]]): written, read back, told, and enough by themselves."""

import dataclasses
import re
import struct

import pytest
from canopen_bench import SETTINGS
from scripted_bench import Scripted

from drives.bank import DriveSetupError
from drives.types.drive_type import DriveType, Timer

SYNC_TIMEOUT = Timer("SYNC time-out", "1006h:0", "u32", 1e-6, times=2)
NO_OTHERS = ("1016h", "1400h:5", "100Ch", "100Dh")


def of_type(*timers, lacks=NO_OTHERS, **habits):
    type_ = DriveType(name="timed", lacks=lacks, timers=timers, **habits)
    made = Scripted(dataclasses.replace(SETTINGS, type=type_))
    for node in made.bus.nodes:
        node.lacks = {(int(place[:4], 16), int(place[6:] or 1)) for place in NO_OTHERS}
    return made


def stops_by(report, leg=1):
    return re.search(r"stops by itself by ([^,]*)", report.axes[leg - 1])[1]


def test_a_timer_of_the_drive_file_is_written_so_that_it_runs_out_within_the_watchdogs_time():
    made = of_type(SYNC_TIMEOUT)
    report = made.bank.configure()
    for node in made.bus.nodes:
        assert node.objects[0x1006, 0] == struct.pack("<I", 25_000), "50 ms in two times"
    assert stops_by(report) == "SYNC time-out 1006h:0 50 ms"


def test_all_timers_and_the_others_are_used_together():
    made = of_type(SYNC_TIMEOUT, Timer("bus time-out", "2F75h:0", "u16", 1e-3), lacks=())
    report = made.bank.configure()
    assert made.node(6).objects[0x2F75, 0] == struct.pack("<H", 50)
    assert stops_by(report, 6) == "SYNC time-out 1006h:0 50 ms and bus time-out 2F75h:0 50 ms"


def test_a_drive_may_round_it_down_to_half_and_what_it_holds_is_told():
    made = of_type(SYNC_TIMEOUT)
    made.node(3).keeps = {(0x1006, 0): struct.pack("<I", 20_000)}
    report = made.bank.configure()
    assert stops_by(report, 3) == "SYNC time-out 1006h:0 40 ms"
    assert stops_by(report, 4) == "SYNC time-out 1006h:0 50 ms"


@pytest.mark.parametrize("held", [0, 12_000, 25_001, 2_500_000])
def test_one_that_holds_another_time_is_refused(held):
    made = of_type(SYNC_TIMEOUT)
    made.node(2).keeps = {(0x1006, 0): struct.pack("<I", held)}
    text = rf"leg 2 .*SYNC time-out \(1006h:0\) was written as 25000 .* reads back as {held} "
    with pytest.raises(DriveSetupError, match=text):
        made.bank.configure()


def test_one_that_is_not_there_or_too_coarse_is_refused():
    made = of_type(SYNC_TIMEOUT)
    made.node(5).lacks |= {(0x1006, 0)}
    with pytest.raises(DriveSetupError, match=r"leg 5 .*it has no SYNC time-out \(1006h:0\)"):
        made.bank.configure()
    coarse = of_type(Timer("bus time-out", "2F75h:0", "u16", 0.1))
    text = r"leg 1 .*bus time-out \(2F75h:0\) cannot be as short as 0.05 s in units of 0.1 s"
    with pytest.raises(DriveSetupError, match=text):
        coarse.bank.configure()


def test_without_timers_and_all_else_nothing_would_stop_it():
    with pytest.raises(DriveSetupError, match="nothing would stop it without the bench"):
        of_type().bank.configure()
