"""The examples run as they are, and what they give is right."""

import csv
import importlib.util
import math
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from drives.bank import DriveGoal, DriveSequenceError
from drives.contract.promises import HOMED, NEW
from hil.config.errors import ConfigError
from hil.recording.export import export_csv
from hil.recording.reader import Recording
from sim.hosts.emulated_host import EmulatedHost
from sim.hosts.flight import scripted_drive

EXAMPLES = Path(__file__).parents[1] / "examples"
pytestmark = pytest.mark.xdist_group("examples")


def example(name):
    """An example as a module."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def spiral(tmp_path_factory):
    """The result of the run with an own motion."""
    return example("own_motion").main(tmp_path_factory.mktemp("runs"))


@pytest.mark.parametrize("name", ["own_rig", "own_arm"])
def test_kinematics_and_their_inverse_agree(name):
    assert example(name).main() < 1e-9


def test_the_own_motion_is_what_was_played(spiral):
    assert spiral.ok
    recording = Recording.open(spiral.recorder.path)
    reached = recording.column("reached_pose")  # where it is known
    inside = recording.column("mode") == recording.modes.index("ENGAGED")
    inside &= np.isfinite(reached[:, 0])
    x, y = (reached[inside] - reached[inside][0])[:, :2].T
    radius_m, angle_rad = np.hypot(x, y), np.unwrap(np.arctan2(y, x))
    assert radius_m.max() == pytest.approx(0.1, abs=2e-4)  # sin⁴ is 1 in the middle
    rate_rad_s = np.gradient(angle_rad, recording.t_s[inside])
    assert np.median(rate_rad_s[radius_m > 0.02]) == pytest.approx(3 * math.tau / 6.0, rel=0.01)


def test_its_columns_are_those_of_the_export(spiral, tmp_path):
    table = example("read_recording").main(spiral.recorder.path.parent)
    with export_csv(Recording.open(spiral.recorder.path), tmp_path / "a.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(table) == list(rows[0])
    for name in ("t_s", "asked_length_leg3_m", "wanted_gamma_rad", "measured_lag_s"):
        exported = [float(row[name] or "nan") for row in rows]
        np.testing.assert_array_equal(table[name], exported)


def test_the_own_block_estimates(capsys):
    example("own_block").main()
    words = capsys.readouterr().out.split()
    assert float(words[1].strip(",")) == pytest.approx(0.98, abs=0.01)


def test_the_own_bank_keeps_every_promise(capsys):
    assert example("own_bank").main()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(NEW) + len(HOMED) + 2
    assert all(line.startswith("kept ") for line in lines)


def test_the_own_host_understands_what_its_emulated_one_sends():
    own = example("own_host")
    host = EmulatedHost(own.SwayWire(), scripted_drive(), rate_hz=20.0)
    told = [own.SwayCodec().decode(data) for _, data in host.due(2.0)]
    assert [one.sequence for one in told] == list(range(40))


def test_the_own_link_reads_its_places_and_its_urls():
    own = example("own_link")
    place = own.place_of([0.1, 0.2, 0.3, 0.5, 0.5, 0.5, 0.5])
    assert place.rotation.tolist() == [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    own.check("poses://127.0.0.1:7000")
    for wrong in ("poses://", "poses://h", "poses://h:0", "poses://h:1/x", "poses:h:1"):
        with pytest.raises(ValueError, match="is no poses://HOST:PORT"):
            own.check(wrong)


def test_the_own_bus_reads_its_urls_and_its_bank_turns_legs_into_channels(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    bus, bank = example("own_bus"), example("own_bus_bank")
    bus.check("rodline://10.0.0.7:4001")
    for wrong in ("rodline://h", "rodline://h:0", "rodline://h:70000", "rodline:h:1"):
        with pytest.raises(ValueError, match="is not rodline://HOST:PORT"):
            bus.check(wrong)
    with pytest.raises(ConfigError, match="each leg needs a channel of its own"):
        bus.RodlineTable.build({"channels": [1, 1, 2, 3, 4, 5]}, "here")
    one = bank.make(SimpleNamespace(settings={"channels": [2, 1, 4, 3, 6, 5]}), lambda: 0.0)
    assert one._of_channels("abcdef") == list("badcfe")
    assert one._of_legs("badcfe") == tuple("abcdef")
    with pytest.raises(DriveSequenceError, match="comes first"):
        one.request(DriveGoal.ENABLED)


def test_the_own_kind_of_motion_is_proved_and_played(tmp_path):
    result = example("own_motion_kind").main(tmp_path)
    assert result.ok
    up_m = Recording.open(result.recorder.path).column("wanted_pose")[:, 2]
    assert np.nanmax(up_m) - np.nanmedian(up_m) > 0.03


def test_the_fmu_s_car_turns_as_one_track_does():
    car = example("fmu_car").FmuCar(instance_name="car")
    car.steering, car.liveliness = 0.1, 0.0
    for k in range(2000):
        assert car.do_step(k * 0.002, 0.002)
    turn = car.speed * math.tan(0.03) / 2.7
    assert car.yaw_rate == pytest.approx(turn, rel=1e-3)
    assert car.ay == pytest.approx(car.speed * turn, rel=1e-3)


def test_every_example_is_run_here_and_told_of_in_the_docs():
    here = Path(__file__).read_text()
    told = (EXAMPLES.parent / "docs" / "library.md").read_text()
    for path in EXAMPLES.glob("*.py"):
        assert f'"{path.stem}"' in here
        assert f"(../examples/{path.name})" in told
