"""What is told of a way that nothing went."""

import pytest
from ride_bench import plan_of, ridden

from hil.config.errors import ConfigError, RefusedError
from hil.config.file_search import configs_dir
from hil.stations.simulator.cue.latency_run import latency_and_show, summarize_latency

DRIVE = configs_dir() / "motions" / "test_drive.csv"


@pytest.mark.parametrize(
    ("reason", "says"),
    [("", "a live host is needed"), ("feedback was missing 3 times", "missing 3 times")],
)
def test_why_nothing_was_measured_is_told(tmp_path, reason, says):
    source = {"kind": "recording", "file": str(DRIVE)}
    _, recording = ridden(tmp_path, source, duration_s=1.0)
    with pytest.raises(RefusedError, match=says):
        summarize_latency(plan_of(source), recording, reason)


def test_a_recording_is_refused_before_anything_is_begun(tmp_path):
    with pytest.raises(ConfigError, match=r"source.kind = 'recording': nothing is sent"):
        latency_and_show("recorded_ride", seconds=5.0, drives="", folder=tmp_path, as_json=True)
    assert not list(tmp_path.iterdir())
