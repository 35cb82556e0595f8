"""The conduct of campaigns with an executor of the test's own: every order, deaths, full disks."""

import csv
import errno
import random
from collections import namedtuple
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hil.campaign import folder as folders
from hil.campaign.conduct import Conductor
from hil.campaign.executor import AGAIN_MAX, given_again
from hil.campaign.folder import CampaignFolder
from hil.campaign.job import Job, Keep, Result, RunOutcome, died, measures_of, outcome_of, reason_of
from hil.campaign.plan import Campaign, read_compared
from hil.campaign.progress import time_left
from hil.campaign.seeds import read_seeds, seeds_text
from hil.campaign.table import RunRow, RunTable
from hil.config.errors import ConfigError, RefusedError

Usage = namedtuple("Usage", "total used free")


class Shuffled:
    """Makes runs at once, and gives their results in an order of its own."""

    workers = 3

    def __init__(self, order, make):
        self.order, self.make, self.waiting, self.given = order, make, [], []

    def submit(self, job):
        self.given.append(job)
        self.waiting.append(job)

    def next(self, timeout_s):
        if self.order.random() < 0.2:
            return None
        job = self.waiting.pop(self.order.randrange(len(self.waiting)))
        return self.make(job)

    def close(self):
        self.waiting.clear()


def result_of(job):
    """A result that depends on seed and variant alone; the recording is there if it is kept."""
    word = job.variant[0] if job.variant else ""
    fails = job.seed % 5 == 3
    recording = ""
    if fails or job.keep is Keep.ALL:
        place = Path(job.folder) / "run-1"
        place.mkdir(parents=True, exist_ok=True)
        (place / "recording.mcap").write_bytes(b"rows")
        recording = str(place / "recording.mcap")
    return Result(
        job, RunOutcome.FAILED if fails else RunOutcome.SUCCEEDED, "blocked" if fails else "",
        drawn={"mass": job.seed * 0.5}, measures={"time_s": 10.0 + len(word) + job.seed},
        sha256=f"{job.seed}{word}", recording=recording, recording_bytes=1000,
    )  # fmt: skip


def opened(path, seeds=(0, 1, 2, 3, 4, 5, 6, 7), compared=()):
    campaign = Campaign(Path("a.toml"), seeds, compared=compared)
    path.mkdir(parents=True, exist_ok=True)
    return CampaignFolder(path, campaign, "digest")


def conduct(folder, make=result_of, order=0, progress=lambda *_: None):
    executor = Shuffled(random.Random(order), make)
    with folder.locked():
        Conductor(folder, executor, progress, now_s=iter(range(10**6)).__next__).run()
    return executor


def rows_of(path):
    with (path / "runs.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@settings(max_examples=30, deadline=None)
@given(order=st.integers(0, 10**6))
def test_the_table_is_the_same_in_whatever_order_results_come(order, tmp_path_factory):
    compared = (("navigator", ("classic", "robust")),)
    paths = [tmp_path_factory.mktemp("campaign") for _ in range(2)]
    conduct(opened(paths[0], compared=compared))
    conduct(opened(paths[1], compared=compared), order=order)
    texts = [(path / "runs.csv").read_text() for path in paths]
    assert texts[0] == texts[1]
    rows = rows_of(paths[0])
    assert [(row["seed"], row["set.navigator"]) for row in rows] == [
        (str(seed), name) for seed in range(8) for name in ("classic", "robust")
    ]


def test_few_jobs_are_out_and_a_run_is_made_once(tmp_path):
    executor = conduct(opened(tmp_path))
    first = [job for job in executor.given if job.keep is Keep.FAILURES]
    assert sorted(job.seed for job in first) == list(range(8))
    # The worst five are the failure, which is kept, and four that are made once more.
    again = [job.seed for job in executor.given if job.keep is Keep.ALL]
    assert len(again) == 4
    assert 3 not in again
    kept = [row["seed"] for row in rows_of(tmp_path) if row["recording"]]
    assert sorted(map(int, kept)) == sorted([3, *again])


def test_a_run_that_is_another_one_when_made_again_keeps_its_row(tmp_path):
    def unrepeatable(job):
        made = result_of(job)
        return replace(made, sha256="other") if job.keep is Keep.ALL else made

    conduct(opened(tmp_path), make=unrepeatable)
    assert [row["seed"] for row in rows_of(tmp_path) if row["recording"]] == ["3"]
    assert "other" not in (tmp_path / "runs.csv").read_text()
    assert sorted(one.name for one in (tmp_path / "runs").iterdir()) == ["3"]


def test_a_campaign_that_was_ended_goes_on_where_it_was(tmp_path):
    class EndedError(Exception):
        pass

    def ends(job):
        if job.seed == 5:
            raise EndedError
        return result_of(job)

    with pytest.raises(EndedError):
        conduct(opened(tmp_path), make=ends, order=4)
    before = rows_of(tmp_path)
    assert 0 < len(before) < 8
    executor = conduct(opened(tmp_path), order=5)
    made = [job.seed for job in executor.given if job.keep is Keep.FAILURES]
    assert sorted(made + [int(row["seed"]) for row in before]) == list(range(8))
    whole = tmp_path / "whole"
    conduct(opened(whole))
    assert rows_of(whole) == rows_of(tmp_path)


def test_more_seeds_may_come_later(tmp_path):
    conduct(opened(tmp_path, seeds=(0, 1)))
    executor = conduct(opened(tmp_path, seeds=(0, 1, 2)))
    assert [job.seed for job in executor.given if job.keep is Keep.FAILURES] == [2]


def test_a_full_disk_ends_the_campaign_and_says_folder_and_need(tmp_path, monkeypatch):
    free = iter([10**9] * 7 + [50 * 10**6] * 100)
    monkeypatch.setattr(folders.shutil, "disk_usage", lambda path: Usage(0, 0, next(free)))
    with pytest.raises(RefusedError) as caught:
        conduct(opened(tmp_path))
    text, rows = str(caught.value), rows_of(tmp_path)
    assert f"{tmp_path}: 50 MB are free, 100 MB are needed" in text
    assert f"{len(rows)} rows are safe (hil campaign --resume {tmp_path})" in text
    assert 0 < len(rows) < 8
    monkeypatch.undo()
    conduct(opened(tmp_path))
    assert len(rows_of(tmp_path)) == 8


def test_a_table_that_cannot_be_written_stays_as_it_was(tmp_path, monkeypatch):
    conduct(opened(tmp_path, seeds=(0, 1)))
    before = (tmp_path / "runs.csv").read_bytes()

    def full(*args, **settings):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("hil.campaign.table.write_whole", full)
    with pytest.raises(RefusedError, match="are free, 100 MB are needed; free some"):
        conduct(opened(tmp_path))
    assert (tmp_path / "runs.csv").read_bytes() == before


def test_a_run_that_was_not_recorded_whole_ends_the_campaign_without_a_row(tmp_path):
    def lossy(job):
        made = result_of(job)
        return replace(made, unrecorded="disk: no space left") if job.seed == 2 else made

    with pytest.raises(RefusedError, match="seed 2 could not be recorded whole: disk: no space"):
        conduct(opened(tmp_path), make=lossy)
    assert "2" not in [row["seed"] for row in rows_of(tmp_path)]


def test_two_processes_never_conduct_one_campaign(tmp_path):
    folder = opened(tmp_path)
    with (
        folder.locked(),
        pytest.raises(ConfigError, match="another process"),
        opened(tmp_path).locked(),
    ):
        pass


def test_progress_has_a_time_left_after_the_first_run(tmp_path):
    told = []
    conduct(opened(tmp_path), progress=lambda *words: told.append(words))
    assert told[-1][:2] == (8, 8)
    assert all((left is None) == (done == 0) for done, _, left in told)
    for done, total, left in told[1:]:
        assert done == total or left is None or left > 0
    assert time_left(None) == "time left: known after the first run"
    assert time_left(3725.4) == "1:02:05 left"


def test_a_dead_workers_run_is_given_again_three_times():
    job, times = Job(0, "a", 1, (), (), "f"), 1
    while (again := given_again(job)) is not None:
        job, times = again, times + 1
    assert times == 1 + AGAIN_MAX == 4
    assert died(job, "signal 9").reason == "its worker ended 4 times: signal 9"


@given(st.sets(st.integers(0, 2**32 - 1), min_size=1, max_size=50))
def test_seeds_are_read_as_they_are_written(seeds):
    ordered = tuple(sorted(seeds))
    assert read_seeds(seeds_text(ordered)) == ordered


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("5:5", "holds no seed"),
        ("9:3", "is reversed"),
        ("", "no range of seeds"),
        ("-1:4", "no range of seeds"),
        ("0:4294967297", "4294967295"),
        ("0:2000000", "1000000"),
        ("1:2:3", "no range of seeds"),
    ],
)
def test_seeds_that_are_none_are_refused_with_what_would_be_right(text, words):
    with pytest.raises(ConfigError, match=words):
        read_seeds(text)


def test_seeds_may_be_mixed():
    assert read_seeds("3, 7:9,0:2") == (0, 1, 3, 7, 8)


@pytest.mark.parametrize("texts", [["a"], ["a="], ["=1,2"], ["a=1"], ["a=1,1"], ["a=1,2", "a=3,4"]])
def test_what_cannot_be_compared_is_refused(texts):
    with pytest.raises(ConfigError, match="--compare"):
        read_compared(texts)


TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20)
NUMBERS = st.one_of(st.integers(-(10**9), 10**9), st.floats(allow_nan=False))
MEASURES = st.dictionaries(st.sampled_from(["time_s", "path_m", "turns"]), NUMBERS)


@settings(deadline=None)
@given(
    st.lists(
        st.builds(
            RunRow, st.integers(0, 2**32 - 1), st.sampled_from([("a b",), ('c,"',)]),
            st.sampled_from(RunOutcome), TEXTS, TEXTS, TEXTS, st.integers(1, 4), MEASURES, MEASURES,
        )
    )
)  # fmt: skip
def test_a_table_reads_back_as_it_was_written(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("table") / "runs.csv"
    variants = (("a b",), ('c,"',))
    written = RunTable(path, ("key",), variants)
    for row in rows:
        written.put(row)
    written.write()
    read = RunTable(path, ("key",), variants)
    read.read()
    assert read.rows == written.rows
    with path.open(newline="", encoding="utf-8") as file:
        plain = list(csv.DictReader(file))
    assert [int(one["seed"]) for one in plain] == [row.seed for row in written.rows]
    assert [one["reason"] for one in plain] == [row.reason for row in written.rows]


def test_a_reason_is_a_line_that_can_be_seen(tmp_path):
    job = Job(0, "a.toml", 0, (), (), str(tmp_path))
    row = RunRow.of(Result(job, RunOutcome.FAILED, "a\rb\x1b"), tmp_path)
    assert row.reason.isprintable()


def test_jobs_and_results_pass_as_lines():
    job = Job(3, "a.toml", 7, ("a=1",), ("x",), "/f", Keep.ALL, 2)
    assert Job.from_json(job.to_json()) == job
    result = Result(
        job, RunOutcome.FAILED, "why", {"a": 1.5}, {"b": 2, "c": float("nan")}, "s", "r"
    )
    assert Result.from_json(result.to_json()) == replace(result, measures={"b": 2})
    assert b"\n" not in result.to_json()


def test_a_stations_json_is_the_source_of_outcome_reason_and_measures():
    values = {
        "format": 1, "ok": True, "succeeded": False, "reason": "dropped", "cause": "",
        "time_s": 61.5, "turns": 4, "done": True, "recording_parts": 1, "phases": {"lift": 2.0},
    }  # fmt: skip
    assert outcome_of(values) is RunOutcome.FAILED
    assert outcome_of({"ok": True}) is RunOutcome.SUCCEEDED
    assert outcome_of({"ok": False}) is RunOutcome.FAILED
    assert reason_of(values) == "dropped"
    assert reason_of({"reason": "", "cause": "a\nb"}) == "a; b"
    assert measures_of(values) == {"time_s": 61.5, "turns": 4}
