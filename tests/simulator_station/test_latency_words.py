"""What is told of a way that nothing went."""

import pytest
from ride_bench import plan_of, ridden

from hil.config.errors import RefusedError
from hil.stations.simulator.latency_run import told_latency


@pytest.mark.parametrize(
    ("reason", "says"),
    [("", "a live host is needed"), ("feedback was missing 3 times", "missing 3 times")],
)
def test_why_nothing_was_measured_is_told(tmp_path, scripted, reason, says):
    _, recording = ridden(tmp_path)
    with pytest.raises(RefusedError, match=says):
        told_latency(plan_of(), recording, reason)
