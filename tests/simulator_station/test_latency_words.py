"""What is told of a way that nothing went."""

import pytest
from ride_bench import plan_of, ridden

from hil.config.errors import RefusedError
from hil.config.shipped import configs_dir
from hil.stations.simulator.latency_run import told_latency

DRIVE = configs_dir() / "motions" / "test_drive.csv"


@pytest.mark.parametrize(
    ("reason", "says"),
    [("", "a live host is needed"), ("feedback was missing 3 times", "missing 3 times")],
)
def test_why_nothing_was_measured_is_told(tmp_path, reason, says):
    source = {"kind": "recording", "file": str(DRIVE)}
    _, recording = ridden(tmp_path, source, duration_s=1.0)
    with pytest.raises(RefusedError, match=says):
        told_latency(plan_of(source), recording, reason)
