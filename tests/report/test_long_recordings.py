"""What reads a recording needs no more memory for a long one."""

import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from campaign import count, long_only
from long_recordings import write_long
from report_samples import write_run

from hil.panel.scope.models.scope import ScopeModel
from hil.panel.study.models.replay import FileFeed
from hil.recording.mcap_scan import Caps
from hil.recording.reader import Recording

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
PIECES_ONLY = """
from hil.recording.columns import Columns
look = Columns.__getitem__

def guarded(self, name):
    assert self.in_memory, f"{name} is read as a whole"
    return look(self, name)

Columns.__getitem__ = guarded
"""
READING = {
    "check": """
from types import SimpleNamespace
from hil.config.errors import ConfigError, RefusedError
from hil.config.named_files import GIVEN
from hil.stations.arm.run import ride
from hil.stations.arm.moves import play
from hil.stations.world.run.rerun import plan_of_recording
from hil.stations.world.sources import recorded_stream

def refused(act, words):
    try:
        act()
    except (ConfigError, RefusedError) as error:
        assert words in str(error), error
    else:
        raise AssertionError(words)

for module in (ride, recorded_stream):  # with its caps
    module.Recording = SimpleNamespace(open=lambda path: recording)
path = recording.path
GIVEN.take(str(path), "ride")
if recording.cycles > 2 * 3600 * 500:
    refused(lambda: ride.ride_of(str(path)), "a ride of more than 7200 s")
else:
    ride.ride_of(str(path)).pose(1.0)
led = lambda: recorded_stream.read_recorded(path, ["joint1"], 0.1)
refused(led, "no recording of station world")
refused(lambda: play.read_recorded(path, None), "a recording of the platform")
refused(lambda: plan_of_recording(recording), "is of station platform")
""",
    "compare": """
from hil.panel.scope.models.channels import channel_named
from hil.panel.widgets.background import Watch
from hil.panel.study.models import compare_align
from hil.panel.study.models.compare import comparable
from hil.panel.study.models.compare_work import compare
from hil.panel.study.models.compared_run import ComparedRun
from hil.panel.study.models.replay import FileFeed
if recording.cycles < 100_000:
    compare_align.MOST_SAMPLES = 4000
feeds = [FileFeed(Recording.open(recording.path, caps), lambda: 0.0) for _ in range(2)]
runs = [ComparedRun(feed.facts, feed) for feed in feeds]
channels = comparable(*(run.facts for run in runs))
leg = channel_named(channels, "measured_length_leg1_m")
for align in compare_align.Align:
    found = compare(runs, channels, leg, align, Watch())
    assert abs(found.shift_s) < 1e-6 and len(found.rows) > 30, found
    assert not any(one.largest for one in found.rows), found
""",
    "end": """
from hil.report.run_verdict import verdict_of
from hil.report.phases import phases_of, times_s
from hil.run.evidence import evidence_of, verdicts_of
from hil.run.stall import stall_of
evidence_of(recording, np.zeros(6)), verdicts_of(recording), stall_of(recording)
verdict_of(recording, phases_of(recording, times_s(recording)))
""",
    "export": """
from hil.recording.export import export_csv
file = export_csv(recording, out / "a.csv")
with file.open("rb") as lines:
    assert sum(1 for _ in lines) == 1 + recording.cycles
file.unlink()
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
    "scope": """
from hil.panel.live.models.timeline import TimelineModel
from hil.panel.scope.models.scope import ScopeModel, first_columns
from hil.panel.study.models import replay
from hil.panel.study.session import ReplaySession
if recording.cycles < 300_000:
    replay.HISTORY_S = 6.0
clock = [0.0]
feed = replay.FileFeed(recording, lambda: clock[0])
session = ReplaySession(feed, lambda: clock[0])
scope, timeline = ScopeModel(feed.facts), TimelineModel(feed.facts)
for name in first_columns(feed.facts):
    scope.show(name)
start_s, end_s = feed.span_s
for share in (0.3, 0.5, 0.5, 1.0, 0.7):
    feed.seek(start_s + share * (end_s - start_s))
    feed.play(10.0)
    for _ in range(5):
        batch = session.turn().batch
        scope.take(batch)
        timeline.take(batch, clock[0])
        assert scope.lines(scope.view(), 1000)
        clock[0] += 0.1
""",
    "report": """
from hil.report.page import write_report
write_report(recording, out)
""",
}


RUN = """
import sys
from pathlib import Path
from hil import service
from hil.config.file_search import configs_dir
from hil.run.station import Request
from hil.stations.platform.plan.scenario import load_plan
from hil.stations.platform.station import STATION

def of_process_kb(name):
    return int(Path("/proc/self/status").read_text().partition(name + ":")[2].split()[0])

after_a_minute_kb = []

def watch(t_s, _):
    if not after_a_minute_kb and t_s > 60.0:
        after_a_minute_kb.append(of_process_kb("VmRSS"))
        Path("/proc/self/clear_refs").write_text("5")  # the most memory so far is that of now

heave = configs_dir() / "scenarios" / "heave.toml"
plan = load_plan(heave, [f"motion.duration_s={sys.argv[1]}"])
request = Request(scenario=None, options={}, folder=Path(sys.argv[2]), progress=watch)
ran = service.run_plan(STATION, plan, request)
assert ran.end.ok
ran.show()
print(after_a_minute_kb[0], of_process_kb("VmHWM"))
"""
RUN_S = count(7200, least=120)
FLAT_MB = 20


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
    program = "\n".join((*lines, PIECES_ONLY, READING[verb], told))
    return int(printed(program, str(path), str(out))) / 1024.0


def printed(program: str, *arguments: str) -> str:
    """What a program in a process of its own prints last."""
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


@pytest.mark.parametrize("verb", [verb for verb in READING if verb != "report"])
def test_memory_does_not_grow_with_the_length(verb, two, tmp_path):
    short_mb, long_mb = (peak_mb(verb, path, tmp_path) for path in two)
    assert long_mb <= short_mb + GROWTH_MB, f"{short_mb:.0f} MB, then {long_mb:.0f} MB"


def test_moving_through_a_recording_takes_the_memory_of_what_is_handed_over_once(two):
    """Neither is what a scope keeps of it a view of all, nor are its columns held beside it."""
    feed = FileFeed(Recording.open(two[1], Caps(kept=0)), lambda: 0.0)
    scope = ScopeModel(feed.facts, history_s=2.0)
    table_bytes = 8 * LONG * feed.facts.signals.values
    tracemalloc.start()
    try:
        for _ in range(2):
            feed.seek(feed.span_s[1])
            batch = feed.poll()
            assert len(batch.rows) == LONG
            scope.take(batch)
            del batch
        kept, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 1.5 * table_bytes
    assert kept < 0.3 * table_bytes


@pytest.mark.campaign
@pytest.mark.timeout(3600)
def test_a_run_needs_no_more_memory_after_its_first_minute_nor_at_its_end(tmp_path):
    kilobytes = printed(RUN, f"{RUN_S}.0", str(tmp_path)).split()
    after_a_minute_mb, most_mb = (int(one) / 1024.0 for one in kilobytes)
    assert most_mb <= after_a_minute_mb + FLAT_MB, f"{after_a_minute_mb:.0f}, then {most_mb:.0f} MB"


@long_only
@pytest.mark.campaign
@pytest.mark.timeout(4 * 3600)
def test_eight_hours_are_read_with_400_mb(motion, tmp_path):
    path = write_long(motion, tmp_path / "recording.mcap", CYCLES)
    peaks = {verb: peak_mb(verb, path, tmp_path) for verb in READING}
    print(peaks)
    assert max(peaks.values()) <= MOST_MB, peaks
