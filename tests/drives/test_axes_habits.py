"""Habits of real drives in the sequence of six: what they may do, and what they must not move."""

import pytest
from ideal_drives import IdealDrive, Six
from test_axes import ENABLED, TIMES, enable, home

from drives.axes.cia402 import State402, event_of, step
from drives.axes.sequence import SixAxes
from drives.bank import DriveGoal, DriveState
from drives.waits import in_words


class LateDisplay(IdealDrive):
    """Takes over its mode, and shows it, only when it is enabled."""

    def __init__(self, position=0, shows=0):
        super().__init__(position)
        self.mode = shows
        self.moved_in = set()

    def take(self, word, mode, target):
        state = step(self.state, event_of(word, self.previous))
        before = self.position
        super().take(word, mode if state is State402.OPERATION_ENABLED else self.mode, target)
        if self.position != before:
            self.moved_in.add(self.mode)


def six_of(drives, **options):
    return Six(SixAxes(0.01, (5,) * 6, times=TIMES, **options), drives)


@pytest.mark.parametrize("shows", [0, 1, 6, 7, 8])
def test_a_display_that_follows_only_when_enabled_is_no_obstacle(shows):
    drives = [LateDisplay(1000 * leg, shows) for leg in range(6)]
    six = six_of(drives)
    home(six)
    assert [drive.starts for drive in drives] == [1] * 6
    assert {mode for drive in drives for mode in drive.moved_in} == {6}
    enable(six)
    assert six.axes.state == ENABLED
    assert {drive.mode for drive in drives} == {8}


@pytest.mark.parametrize("shows", [2, 3, 4, 9, 10, -1, -3])
def test_a_display_of_a_mode_that_could_move_is_waited_for_without_force(shows):
    six = six_of([LateDisplay(1000 * leg, shows) for leg in range(6)])
    six.axes.request(DriveGoal.HOMED)
    for _ in range(300):
        six.cycle()
        assert DriveState.ENABLED not in six.axes.state
        assert all(drive.state is not State402.OPERATION_ENABLED for drive in six.drives)
    assert f"mode display (6061h) is {shows}, expected 8" in in_words(six.axes.waits)


def test_a_start_bit_never_meets_another_mode():
    drives = [LateDisplay(1000 * leg, 8) for leg in range(6)]
    six = six_of(drives)
    six.axes.request(DriveGoal.HOMED)
    for _ in range(200):
        six.cycle()
        for drive, word in zip(drives, six.sent.controlword, strict=True):
            assert not word & 0x10 or drive.mode == 6


def test_remote_bit_at_zero_is_waited_for_by_name_and_can_be_left_out():
    class Deaf(IdealDrive):
        def status(self):
            return super().status() & ~0x0200

    def drives():
        return [Deaf(1000 * leg) if leg == 2 else IdealDrive(1000 * leg) for leg in range(6)]

    six = six_of(drives())
    six.axes.request(DriveGoal.HOMED)
    six.run(300)
    assert not any(drive.starts for drive in six.drives)
    (wait,) = six.axes.waits
    assert (wait.leg, wait.object_index, wait.seen, wait.wanted) == (3, 0x6041, "0", "1")
    assert "bit 9, remote" in wait.what
    home(six_of(drives(), remote_bit=False))


def test_a_drive_without_bit_12_in_csp_is_told_by_name_and_can_be_let_follow():
    def drives():
        found = [IdealDrive(1000 * leg) for leg in range(6)]
        found[4].follows = False
        return found

    six = six_of(drives())
    home(six)
    six.axes.request(DriveGoal.ENABLED)
    six.until(lambda: six.axes.goal is None)
    (wait,) = six.axes.waits
    assert (wait.leg, wait.object_index, wait.seen, wait.wanted) == (5, 0x6041, "0", "1")
    assert "bit 12" in wait.what
    six = six_of(drives(), follows_bit=False)
    home(six)
    enable(six)
    six.drives[4].mode = 3  # what else tells that it follows is still looked at
    six.drives[4].stuck_mode = 3
    six.run(3)
    assert six.axes.state[4] is DriveState.QUICK_STOP


@pytest.mark.parametrize("edges", [1, 2, 5])
def test_a_fault_that_needs_several_edges_is_left(edges):
    class Stubborn(IdealDrive):
        left = edges

        def take(self, word, mode, target):
            if self.state is State402.FAULT and word & ~self.previous & 0x80:
                self.left -= 1
                if self.left > 0:
                    self.previous = word
                    return
            super().take(word, mode, target)

    six = six_of([Stubborn(1000 * leg) for leg in range(6)])
    home(six)
    six.drives[0].trip()
    six.axes.request(DriveGoal.DISABLED)
    six.until(lambda: six.axes.state == (DriveState.DISABLED,) * 6)
    assert six.drives[0].left == 0
