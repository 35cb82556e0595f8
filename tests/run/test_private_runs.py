"""What a run records is its user's alone, unless he says otherwise."""

import os
import stat

import pytest

from hil.config.scenario import RecordingSettings
from hil.recording.header import RECORDING_NAME, RunHeader
from hil.recording.signals import Signal, Signals
from hil.run.run import SHARE_RUNS, new_run_dir, recording_sink

HEADER = RunHeader(
    Signals("toy", (Signal("index", "u8"), Signal("t_s", "f8", unit="s"))), {"clock": "virtual"}
)


@pytest.fixture(params=[0o002, 0o022, 0o077], ids="umask {:03o}".format)
def umask(request):
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def modes(tmp_path):
    """Of the folder of a new run, and of its recording."""
    folder = new_run_dir(tmp_path / "runs", "a")
    recording_sink(RecordingSettings(min_free_mb=0.0), folder, HEADER, virtual=True).finish()
    return tuple(stat.S_IMODE(p.stat().st_mode) for p in (folder, folder / RECORDING_NAME))


@pytest.mark.parametrize("said", [None, "", "0", "no"])
def test_a_run_is_private(tmp_path, umask, monkeypatch, said):
    monkeypatch.delenv(SHARE_RUNS, raising=False)
    if said is not None:
        monkeypatch.setenv(SHARE_RUNS, said)
    assert modes(tmp_path) == (0o700, 0o600)


def test_a_run_may_be_shared_as_far_as_the_umask_lets(tmp_path, umask, monkeypatch):
    monkeypatch.setenv(SHARE_RUNS, "1")
    assert modes(tmp_path) == (0o777 & ~umask, 0o644 & ~umask)
