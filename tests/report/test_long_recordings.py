"""What reads a recording needs no more memory for a long one."""

import subprocess
import sys
from pathlib import Path

import pytest
from campaign import long_only
from long_recordings import write_long
from report_samples import write_run

HOURS = 8
CYCLES = HOURS * 3600 * 500
MOST_MB = 400
SHORT, LONG = 6_000, 46_000
"""Cycles of twelve seconds and of ninety."""
GROWTH_MB = 24
"""Allowed from one to the other; whole columns would be 60, cells of a table 150."""
COURSE = (
    *(("IDLE", 3), ("HOMING", 20), ("STANDBY", 10), ("ENGAGING", 50)),
    *(("ENGAGED", 4000), ("PARKING", 50), ("STANDBY", 10), ("OFF", 2)),
)
READING = {
    "end": """
from hil.report.ending import verdict_of
from hil.report.phases import phases_of, times_s
from hil.run.evidence import evidence_of, verdicts_of
from hil.run.stall import stall_of
evidence_of(recording, np.zeros(6)), verdicts_of(recording), stall_of(recording)
verdict_of(recording, phases_of(recording, times_s(recording)))
""",
    "export": """
from hil.recording.export import export_csv
export_csv(recording if recording.cycles < 1e6 else recording.part(0, 40_000), out / "a.csv")
""",
    "replay": """
from hil.panel.study.models.replay import FileFeed
clock = [0.0]
feed = FileFeed(recording, lambda: clock[0])
feed.play(10.0)
for step in range(50):
    clock[0] += 1.0
    feed.poll()
""",
    "report": """
from hil.report.page import write_report
write_report(recording, out)
""",
}


@pytest.fixture(scope="module")
def motion(tmp_path_factory):
    path = tmp_path_factory.mktemp("motion") / "recording.mcap"
    write_run(path, COURSE)
    return path


@pytest.fixture(scope="module")
def two(motion):
    return [
        write_long(motion, motion.with_name(f"{cycles}.mcap"), cycles) for cycles in (SHORT, LONG)
    ]


def peak_mb(verb: str, path: Path, out: Path) -> float:
    """Most memory that a process has which reads a recording [MB]."""
    lines = (
        "import sys",
        "from pathlib import Path",
        "import numpy as np",
        "from hil.recording.reader import Recording",
        "from hil.recording.mcap_scan import Caps",
        "caps = Caps(kept=0)",
        "recording, out = Recording.open(Path(sys.argv[1]), caps), Path(sys.argv[2])",
    )
    told = "print(Path('/proc/self/status').read_text().partition('VmHWM:')[2].split()[0])"
    program = "\n".join((*lines, READING[verb], told))
    command = [sys.executable, "-c", program, str(path), str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return int(done.stdout) / 1024.0


@pytest.mark.parametrize("verb", ["end", "export", "replay"])
def test_memory_does_not_grow_with_the_length(verb, two, tmp_path):
    short_mb, long_mb = (peak_mb(verb, path, tmp_path) for path in two)
    assert long_mb <= short_mb + GROWTH_MB, f"{short_mb:.0f} MB, then {long_mb:.0f} MB"


@long_only
@pytest.mark.campaign
def test_eight_hours_are_read_with_400_mb(motion, tmp_path):
    path = write_long(motion, tmp_path / "recording.mcap", CYCLES)
    peaks = {verb: peak_mb(verb, path, tmp_path) for verb in READING}
    print(peaks)
    assert max(peaks.values()) <= MOST_MB, peaks
