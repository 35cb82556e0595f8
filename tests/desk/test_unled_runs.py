"""A run in real time without operator is known to panels while it goes on, and no longer."""

import os
import signal
import subprocess
import sys

import pytest

from hil.desk.endpoints import PlaceError
from hil.desk.unattended_runs import announced, list_unattended_runs

ANNOUNCE = """
import sys, pathlib
from hil.desk.unattended_runs import announced
with announced("shaken", pathlib.Path(sys.argv[1])):
    print("goes on", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def place(tmp_path):
    return tmp_path / "hil-bench"


def test_a_run_is_known_while_it_goes_on(place):
    assert list_unattended_runs(place) == []
    with announced("my ride", place), announced("press", place):
        assert list_unattended_runs(place) == ["my_ride", "press"]
    assert list_unattended_runs(place) == []
    assert list(place.iterdir()) == []


def test_a_killed_run_is_over_and_leaves_nothing(place):
    command = [sys.executable, "-c", ANNOUNCE, str(place)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"goes on\n"
        assert list_unattended_runs(place) == ["shaken"]
        assert len(list(place.iterdir())) == 1, "a look takes nothing from a run that goes on"
        process.kill()
        process.wait()
    assert len(list(place.iterdir())) == 1
    assert list_unattended_runs(place) == []
    assert list(place.iterdir()) == []


def test_a_run_goes_on_where_the_folder_cannot_be_trusted(place):
    place.mkdir(mode=0o777)
    place.chmod(0o777)
    with announced("shaken", place):
        assert list(place.iterdir()) == []
    with pytest.raises(PlaceError, match="mode 0777"):
        list_unattended_runs(place)


def test_what_fails_within_is_over_and_is_not_swallowed(place):
    with pytest.raises(OSError, match="no space"), announced("shaken", place):
        raise OSError("no space")
    assert list_unattended_runs(place) == []


@pytest.mark.real_time
@pytest.mark.parametrize("scenario", ["demo", "joint_move", "bkm_on_rm01"])
def test_the_run_of_each_station_is_known_to_panels(scenario, tmp_path, monkeypatch):
    """Judge: the lock of the kernel, asked from another process than the run's."""
    (tmp_path / "runtime").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "runtime"))
    command = [sys.executable, "-m", "hil.cli", "run", scenario, "--clock", "real", "--json"]
    with (tmp_path / "told").open("wb") as told:
        process = subprocess.Popen(
            [*command, "--out", str(tmp_path)], stdout=told, stderr=told, env=dict(os.environ)
        )
    for _ in range(2400):
        if found := list_unattended_runs():
            break
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.05)
    assert found == [scenario]
    process.send_signal(signal.SIGINT)
    process.wait(60)
    assert list_unattended_runs() == []
