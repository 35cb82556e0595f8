"""An emulated device steps in for an absent one, if that is wanted, and for nothing else."""

import shlex
import sys
from contextlib import contextmanager
from pathlib import Path

import bench_plans
import pytest

import hil.stations.arm.run.runner as arm
import hil.stations.platform.run.runner as platform
from arm_driver.link import LinkOrder, LinkSettings
from drives.bank import DriveAbsentError, DriveSetupError, LinkError
from hil import service
from hil.config.errors import RefusedError
from hil.run.station import Request
from hil.stations.arm.plan.scenario import arm_plan_from_table
from hil.stations.arm.station import STATION
from hil.stations.platform.commissioning.runs import play_moves

DRIVES = "slcan:socket://127.0.0.1:9"
ROBOT = "socket://127.0.0.1:9"
HERE = "emulated:"
LIVE = {
    "station": "arm", "name": "live", "clock": "real", "longest_s": 5.0,
    "space_arm": {"model": "b"}, "source": {"kind": "keyboard"},
    "mapping": {
        "start": {"position_m": [0.45, 0.15, 0.75], "oat_deg": [90.0, 0.0, 0.0]},
        "start_joints_deg": [46.4, 78.1, -218.3, 53.8, 63.8, -31.1],
    },
}  # fmt: skip


class Bench:
    """A station whose devices fail as told; notes where it was to run, and what was emulated."""

    def __init__(self, *errors):
        self.errors, self.urls, self.emulated = list(errors), [], 0

    def run(self, url):
        self.urls.append(url)
        if self.errors:
            raise self.errors.pop(0)
        return lambda end: "done"

    @contextmanager
    def stand_in(self, *_, **__):
        self.emulated += 1
        yield HERE


@pytest.fixture(autouse=True)
def unrecorded(monkeypatch):
    """Runs without a folder and a recording."""
    monkeypatch.setattr(service, "conduct", lambda run, opening: run(opening)("ended"))


@pytest.fixture
def drives(monkeypatch):
    """Play a plan of the platform on the devices of a bench."""

    def play(bench, fallback="sim"):
        plan = bench_plans.plan(
            'clock="real"', f'devices.drives="{DRIVES}"', f'devices.fallback="{fallback}"'
        )
        played = lambda prepared, _: bench.run(prepared.plan.drives_url)  # noqa: E731
        monkeypatch.setattr(platform, "play_plan", played)
        monkeypatch.setattr("hil.stations.platform.drives.rack.emulated_rack", bench.stand_in)
        return play_moves(plan, None, quiet=True)

    return play


@pytest.fixture
def robot(monkeypatch):
    """Run a live motion of the arm on the devices of a bench."""

    def run(bench, fallback="sim"):
        devices = {"arm": ROBOT, "fallback": fallback}
        plan = arm_plan_from_table(LIVE | {"devices": devices}, Path("live.toml"))
        played = lambda proof, _, **__: bench.run(proof.plan.scenario.devices.arm)  # noqa: E731
        monkeypatch.setattr(arm, "play_arm", played)
        monkeypatch.setattr(arm, "emulated_robot", bench.stand_in)
        prepared = arm.PreparedArm(arm.prepare_plan(plan), Request(scenario=None, options={}))
        _, found = service.play(arm.play, prepared, None, stand_in=STATION.stand_in)
        return found

    return run


def test_a_refusal_that_only_sounds_like_an_absent_robot_has_no_stand_in(robot):
    bench = Bench(RefusedError("source: /dev/input/js0 is not there"))
    with pytest.raises(RefusedError, match="js0"):
        robot(bench)
    assert (bench.urls, bench.emulated) == ([ROBOT], 0)


def test_an_absent_robot_is_known_in_any_words(robot, monkeypatch):
    from hil.stations.arm.run.session import arm_wire
    from hil.timing.clock import VirtualClock

    order = LinkOrder(ROBOT, "a robot", "val", LinkSettings())
    with pytest.raises(RefusedError) as absent:
        arm_wire(order, VirtualClock(), None)
    absent.value.args = ("nobody answers",)
    bench = Bench(absent.value)
    assert robot(bench) == "done"
    assert (bench.urls, bench.emulated) == ([ROBOT, HERE], 1)


@pytest.mark.parametrize("error", [LinkError("no port"), DriveAbsentError("leg 3 is silent")])
def test_absent_drives_have_a_stand_in(drives, error):
    bench = Bench(error)
    assert drives(bench) == "done"
    assert (bench.urls, bench.emulated) == ([DRIVES, HERE], 1)


@pytest.mark.parametrize("error", [DriveSetupError("leg 3 is not there as described")])
def test_drives_that_are_there_and_refuse_have_none(drives, error):
    bench = Bench(error)
    with pytest.raises(RefusedError, match="nothing has moved: leg 3"):
        drives(bench)
    assert (bench.urls, bench.emulated) == ([DRIVES], 0)


@pytest.mark.parametrize("error", [DriveSetupError("other type"), LinkError("no port")])
def test_a_stand_in_that_fails_is_a_refusal_and_has_no_stand_in_itself(drives, error):
    bench = Bench(LinkError("no port"), error)
    with pytest.raises(RefusedError, match="nothing has moved") as refused:
        drives(bench)
    assert (bench.urls, bench.emulated) == ([DRIVES, HERE], 1)
    assert "--fallback sim" not in str(refused.value)


def test_without_leave_an_absent_device_is_refused_with_the_command_that_gives_it(
    drives, monkeypatch
):
    monkeypatch.setattr(sys, "argv", ["hil", "run", "a b.toml"])
    bench = Bench(LinkError("no port"))
    with pytest.raises(RefusedError, match=f"the drives at {DRIVES} are not there: no port") as at:
        drives(bench, fallback="refuse")
    command = str(at.value).rpartition("instead:")[2].strip()
    assert shlex.split(command) == ["hil", "run", "a b.toml", "--fallback", "sim"]
    assert (bench.urls, bench.emulated) == ([DRIVES], 0)
