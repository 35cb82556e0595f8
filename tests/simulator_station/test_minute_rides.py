"""Rides of a minute in real time, as shipped, on emulated drives in a process of their own."""

import json
import subprocess
import sys

import pytest
from campaign import long_only


@long_only
@pytest.mark.campaign
@pytest.mark.real_time
@pytest.mark.parametrize("rate_hz", [250, 500])
def test_a_ride_of_a_minute_completes_on_a_machine_that_is_in_time(tmp_path, rate_hz):
    """Made again while the machine stands still for longer than a gate waits (`machine_watch`)."""
    command = [sys.executable, "-m", "hil.cli", "host", "latency", "live_demo", "--seconds", "60"]
    command += ["--set", f"rate_hz={rate_hz}", "--out", str(tmp_path), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    told = json.loads(done.stdout)
    assert told["ok"], (told.get("error"), done.stderr)
    assert told["period_ms"] == pytest.approx(1e3 / rate_hz)
    assert told["packets"] > 2000
