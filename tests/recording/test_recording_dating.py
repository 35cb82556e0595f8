"""A recording in real time is dated; the digest of a dry run covers no date."""

import csv
from datetime import UTC, datetime, timedelta  # noqa: TID251  # fixed dates
from pathlib import Path

import numpy as np
import pytest
from recording_samples import HEADER, packed, sample_frame

from hil.recording.events import EVENTS, ROWS, clock_event
from hil.recording.export import dates, export_csv
from hil.recording.header import RunHeader
from hil.recording.reader import Recording
from hil.recording.recorder import Recorder, RecorderRing
from hil.run.facts import revision, run_facts
from hil.stations.platform.gate.black_box import complaint
from hil.timing.clock import Moment, VirtualClock, moment

NOON = datetime(2026, 2, 3, 12, 0, 0, 250, tzinfo=UTC)
PERIOD_S = 0.004


def recorded(path: Path, header: RunHeader = HEADER, *, dated: bool = True) -> Recording:
    """Ten cycles, of which the one from 5 to 6 took 0.1 s, and 3 is missing."""
    recorder = Recorder(RecorderRing.local(), path, header)
    for index in (0, 1, 2, 4, 5, 6, 7, 8, 9):
        frame = sample_frame(index, PERIOD_S)._replace(dt_s=0.1 if index == 6 else PERIOD_S)
        recorder.ring.push(ROWS, packed(frame))
    if dated:
        event = clock_event(0.0, 0, Moment(NOON, 77.5))
        recorder.ring.push(EVENTS, event.to_bytes())
    recorder.finish()
    return Recording.open(path)


def test_each_row_is_dated_by_the_first_cycle_and_what_passed_since(tmp_path: Path) -> None:
    recording = recorded(tmp_path / "a.mcap")
    elapsed_s = [0.0, 0.004, 0.008, 0.016, 0.020, 0.120, 0.124, 0.128, 0.132]
    found = dates(recording)
    assert found is not None
    expected = [(NOON + timedelta(seconds=s)).replace(tzinfo=None) for s in elapsed_s]
    assert found.astype(object).tolist() == expected
    export_csv(recording, tmp_path / "a.csv")
    with (tmp_path / "a.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["utc"] == "2026-02-03T12:00:00.000250Z"
    assert rows[-1]["utc"] == "2026-02-03T12:00:00.132250Z"


def test_a_dry_run_has_no_dates(tmp_path: Path) -> None:
    recording = recorded(tmp_path / "a.mcap", dated=False)
    assert dates(recording) is None
    export_csv(recording, tmp_path / "a.csv")
    assert "utc" not in (tmp_path / "a.csv").read_text().splitlines()[0]


def test_the_digest_covers_the_data_and_not_the_date(tmp_path: Path) -> None:
    digests, starts = set(), set()
    for day in (1, 2):
        facts = run_facts("virtual", Moment(NOON + timedelta(days=day), 0.0), ["numpy"])
        header = RunHeader(HEADER.signals, facts, HEADER.scenario)
        recording = recorded(tmp_path / f"{day}.mcap", header, dated=False)
        digests.add(recording.sha256)
        starts.add(recording.metadata["run"]["started_utc"])
    assert len(digests) == 1
    assert starts == {"2026-02-04T12:00:00.000250Z", "2026-02-05T12:00:00.000250Z"}


def test_the_facts_tell_when_where_by_what_and_by_which_clock() -> None:
    facts = run_facts("real", Moment(NOON, 77.5), ["numpy", "no-such-thing"])
    assert set(facts) == {
        "started_utc", "started_monotonic_s", "time_base", "host", "system", "python", "revision",
        "build", "versions", "distributions", "cpu", "libm",
    }  # fmt: skip
    assert all(facts.values())
    assert facts["started_monotonic_s"] == "77.5"
    assert "CLOCK_MONOTONIC" in facts["time_base"]
    assert "resolution 1e-09 s" in facts["time_base"]
    assert f"numpy {np.__version__}" in facts["versions"]
    assert "no-such-thing not installed" in facts["versions"]
    assert "calendar" in run_facts("virtual", Moment(NOON, 0.0), [])["time_base"]


def test_a_moment_pairs_the_calendar_with_the_clock_passed_in() -> None:
    clock = VirtualClock()
    ticks = clock.ticks(0.5)
    next(ticks), next(ticks)
    before = datetime.now(UTC)
    now = moment(clock.now_s)
    assert now.monotonic_s == 0.5
    assert before <= now.utc <= datetime.now(UTC)
    assert now.text.endswith("Z")


COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize("kind", ["branch", "packed", "detached", "worktree"])
def test_the_revision_is_the_commit_of_an_editable_install(tmp_path: Path, kind: str) -> None:
    git = tmp_path / ".git"
    if kind == "worktree":
        common, folder = tmp_path / "main" / ".git", tmp_path / "main" / ".git" / "worktrees" / "w"
        folder.mkdir(parents=True)
        git.write_text(f"gitdir: {folder}\n")
        (folder / "commondir").write_text("../..\n")
    else:
        common = folder = git
        git.mkdir()
    (folder / "HEAD").write_text(f"{COMMIT}\n" if kind == "detached" else "ref: refs/heads/x\n")
    if kind == "packed":
        (common / "packed-refs").write_text(f"# pack-refs\n{COMMIT} refs/heads/x\n")
    elif kind != "detached":
        (common / "refs/heads").mkdir(parents=True)
        (common / "refs/heads/x").write_text(f"{COMMIT}\n")
    assert revision(tmp_path) == f"git {COMMIT}"


def test_without_a_repository_the_revision_is_the_version(tmp_path: Path) -> None:
    assert revision(tmp_path).startswith(("version ", "git "))
    assert COMMIT not in revision(tmp_path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "gate.jsonl is missing: "),
        (b"", "gate.jsonl is empty: "),
        (b'{"event": "mode OFF", "cycle": 0}\n{"event": "mo', "gate.jsonl is cut off: "),
        (b'{"event": "mode OFF" "cycle": 0}\n', "gate.jsonl is damaged: "),
        (b'{"event": "mode OFF", "cycle": 0}\n', ""),
    ],
)
def test_a_record_of_the_gate_that_is_of_no_use_is_told_by_name(
    tmp_path: Path, content: bytes | None, words: str
) -> None:
    path = tmp_path / "gate.jsonl"
    if content is not None:
        path.write_bytes(content)
    told = complaint(path)
    assert told.startswith(words)
    assert bool(told) is bool(words)
