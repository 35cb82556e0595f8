"""Rides of tests: a plan about a scripted source that another distribution brings."""

from pathlib import Path

import campaign
import numpy as np
from bench_plans import QUICK

from hil.recording.reader import Recording
from hil.stations.platform.bench.bench import run
from hil.stations.simulator.plan.scenario import ride_from_table
from hil.stations.simulator.run.bench import ride_of

SCRIPTED = {"kind": "scripted", "lasts_s": 2.0}
RATE_HZ = campaign.rate_hz()
PERIOD_S = 1.0 / RATE_HZ
HERE = Path(__file__).parent
METADATA = "Metadata-Version: 2.1\nName: rides-of-others\nVersion: 2.0\n"
ENTRY = "[hil.sources]\nscripted = scripted_source:KIND\n"


def install(tmp_path, monkeypatch):
    """Install the distribution, as a folder on the path."""
    told = tmp_path / "others" / "rides_of_others-2.0.dist-info"
    told.mkdir(parents=True)
    (told / "METADATA").write_text(METADATA)
    (told / "entry_points.txt").write_text(ENTRY)
    monkeypatch.syspath_prepend(str(told.parent))


def table_of(source=None, cueing=None, **more):
    """The table of a ride's scenario."""
    return {
        "name": "ride", "station": "simulator", "rig": "training_simulator", "rate_hz": RATE_HZ,
        "source": source if "kind" in (source or {}) else SCRIPTED | (source or {}),
        "cueing": {"preset": "tight", "head_m": (0.1, 0.0, 0.9)} | (cueing or {}),
    } | more  # fmt: skip


def plan_of(source=None, cueing=None, overrides=(), **more):
    """The plan of such a scenario."""
    return ride_from_table(
        table_of(source, cueing, **more), Path("ride.toml"), (*QUICK, *overrides)
    )


def ridden(folder, source=None, cueing=None, **more):
    """Run it; its result, and its recording."""
    prepared = ride_of(plan_of(source, cueing, **more)).prepared
    plan = plan_of(source, cueing, **more)
    result = run(plan, folder, motion=prepared.motion, extension=prepared.extension)
    return result, Recording.open(result.recorder.path)


def in_mode(recording, mode):
    """Cycles of a mode, (N,)."""
    return recording.column("mode") == recording.header.modes.index(mode)


def coded(recording, signal):
    """Names of a signal's codes in all rows."""
    names = recording.header.signals[signal].codes
    return np.array(names)[recording.column(signal).astype(int)]
