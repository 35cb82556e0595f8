"""Sensors of the container task at fault: at rest within 0.5 s, or the task goes on; never dropped.

The whole campaign is 100 faults in all phases; its share is some while the robot drives.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from campaign import SHARE

SCRIPT = Path(__file__).parent / "sensor_fault_cases.py"
SHARE_OF_IT = ("--cases", "5", "--phases", "drive", "--most", "1")
REST_S = 0.5


@pytest.mark.campaign
@pytest.mark.timeout(7200)
def test_sensors_at_fault_stop_the_robot_or_change_nothing(tmp_path: Path) -> None:
    given = ("--cases", "100") if SHARE >= 1.0 else SHARE_OF_IT
    file = tmp_path / "outcomes.json"
    words = [sys.executable, str(SCRIPT), *given, "--json", str(file)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=7000, check=False)
    assert done.returncode == 0, done.stderr
    print(done.stdout)
    rows = json.loads(file.read_text())
    assert len(rows) == int(given[1])
    bad = [one for one in rows if one["verdict"] == "failed" or one["dropped"] or one["contacts"]]
    assert bad == []
    stopped = [one for one in rows if one["verdict"] == "rest"]
    assert stopped
    assert all(one["reason"] == "sensor" and one["rest_s"] <= REST_S for one in stopped)
