"""Campaigns as processes: workers and the program itself are killed, clusters are local ones."""

import csv
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hil.campaign import cluster
from hil.campaign.cluster import ClusterExecutor
from hil.campaign.conduct import Conductor
from hil.campaign.folder import CampaignFolder
from hil.campaign.local import LocalExecutor
from hil.campaign.plan import Campaign
from hil.campaign.worker_process import WorkerProcess
from hil.cli.main import app
from hil.config.errors import ConfigError, RefusedError

SCENARIO = """
name = "wide"
rig = "paper"
rate_hz = 50

[motion]
kind = "multi_sine"
duration_s = 0.5
fade_s = 0.5
terms = [{ axis = "z", amplitude_m = 0.08, frequency_hz = 0.5 }]

[draw]
"motion.terms.0.amplitude_m" = { uniform = [0.01, 0.40] }
"rig.cylinders.natural_frequency_hz" = { latin = [15, 35], count = 8 }
"""
SEEDS = tuple(range(12))
PATIENCE_S = 100.0


@pytest.fixture(scope="module")
def scenario(tmp_path_factory):
    path = tmp_path_factory.mktemp("scenario") / "wide.toml"
    path.write_text(SCENARIO)
    return path


def conduct(path, scenario, executor, seeds=SEEDS, progress=lambda *_: None):
    path.mkdir(exist_ok=True)
    folder = CampaignFolder(path, Campaign(scenario, seeds), "digest")
    try:
        with folder.locked():
            Conductor(folder, executor, progress).run()
    finally:
        executor.close()
    return rows_of(path)


def rows_of(path):
    with (path / "runs.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def without(rows, *names):
    return [{key: one for key, one in row.items() if key not in names} for row in rows]


@pytest.fixture(scope="module")
def by_one(scenario, tmp_path_factory):
    """Rows of one worker, in its order."""
    return conduct(tmp_path_factory.mktemp("one"), scenario, LocalExecutor(1))


def hil(*arguments, **settings):
    command = [sys.executable, "-P", "-m", "hil.cli", *map(str, arguments)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **settings
    )  # fmt: skip


def run_hil(*arguments, status=0, cwd=None):
    process = hil(*arguments, cwd=cwd)
    printed, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == status, printed + errors
    return printed, errors


def test_one_worker_makes_every_run_and_each_is_judged(by_one):
    assert [int(row["seed"]) for row in by_one] == list(SEEDS)
    outcomes = {row["outcome"] for row in by_one}
    assert outcomes == {"succeeded", "failed"}
    for row in by_one:
        assert re.fullmatch("[0-9a-f]{64}", row["recording_sha256"])
        fails = row["outcome"] == "failed"
        assert bool(row["reason"]) == fails
        assert bool(row["recording"]) or not fails
        assert 0.01 <= float(row["draw.motion.terms.0.amplitude_m"]) <= 0.40
    # A wide motion is too fast for the legs: the judge is the platform's own gate.
    wide = [float(row["draw.motion.terms.0.amplitude_m"]) for row in by_one]
    failed = [row["outcome"] == "failed" for row in by_one]
    assert min(w for w, f in zip(wide, failed, strict=True) if f) > min(wide)


def test_two_workers_make_the_same_rows(by_one, scenario, tmp_path):
    rows = conduct(tmp_path / "two", scenario, LocalExecutor(2))
    assert without(rows, "recording") == without(by_one, "recording")


def test_a_killed_workers_run_is_given_again(by_one, scenario, tmp_path):
    executor, killed = LocalExecutor(2), []

    def kill_after_the_second(done, total, left_s):
        if done == 2 and not killed:
            worker = next(one for one in executor._processes if one.job is not None)
            killed.append(worker.job.seed)
            os.kill(worker.pid, signal.SIGKILL)

    rows = conduct(tmp_path / "c", scenario, executor, progress=kill_after_the_second)
    assert without(rows, "recording", "given") == without(by_one, "recording", "given")
    again = [int(row["seed"]) for row in rows if row["given"] != "1"]
    assert again in (killed, [])  # empty if the run was over before the signal came
    assert killed


def test_a_run_whose_worker_ends_each_time_is_one_of_outcome_worker(
    scenario, tmp_path, monkeypatch
):  # fmt: skip
    give, times = WorkerProcess.give, []

    def give_and_kill(worker, job):
        give(worker, job)
        if job.seed == 1:
            times.append(job.given)
            os.kill(worker.pid, signal.SIGKILL)

    monkeypatch.setattr(WorkerProcess, "give", give_and_kill)
    rows = conduct(tmp_path / "c", scenario, LocalExecutor(1), seeds=(0, 1, 2))
    assert [row["outcome"] for row in rows][1] == "worker"
    assert rows[1]["reason"].startswith("its worker ended 4 times: signal 9")
    assert times == [1, 2, 3, 4]
    assert [row["outcome"] in ("succeeded", "failed") for row in rows] == [True, False, True]


def test_workers_that_cannot_start_end_the_campaign_with_their_last_words(
    scenario, tmp_path, monkeypatch
):  # fmt: skip
    monkeypatch.setattr("hil.campaign.worker_process.MODULE", "hil.campaign.no_such_worker")
    with pytest.raises(RefusedError, match=r"4 workers ended as they started: exit status"):
        conduct(tmp_path / "c", scenario, LocalExecutor(1), seeds=(0,))


def test_the_program_killed_in_the_middle_goes_on_without_a_loss(by_one, scenario, tmp_path):
    """`kill -9` of the parent: its workers end by themselves, and each seed is there once."""
    place = tmp_path / "campaign"
    process = hil("campaign", scenario, "--seeds", "0:12", "--workers", "2", "--out", place)
    said = []
    while not any(" 5 of 12" in line or " 4 of 12" in line for line in said):
        line = process.stderr.readline()
        assert line, said
        said.append(line)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    ends = [os.pidfd_open(int(child)) for child in children]
    process.kill()
    process.wait(PATIENCE_S)
    process.stdout.close()
    process.stderr.close()
    assert len(ends) == 2
    for end in ends:
        assert select.select([end], [], [], PATIENCE_S)[0]
        os.close(end)
    before = rows_of(place)
    assert 4 <= len(before) < 12

    printed, _ = run_hil("campaign", "--resume", place, "--workers", "2", "--json")
    rows, summary = rows_of(place), json.loads(printed)
    assert without(rows, "recording") == without(by_one, "recording")
    assert summary["ok"]
    assert summary["runs"] == 12
    assert summary["succeeded"] == sum(row["outcome"] == "succeeded" for row in rows)
    kept = {row["recording"] for row in rows if row["recording"]}
    there = {one.relative_to(place).as_posix() for one in place.glob("runs/*/*/recording.mcap")}
    assert kept == there
    page = Path(summary["page"]).read_text()
    assert f"{summary['succeeded']} of 12 runs succeeded" in page
    assert page.count("data:image/png;base64,") == 5
    assert all(f'href="{one["recording"]}"' in page for one in rows if one["outcome"] == "failed"
               and one["recording"] in page)  # fmt: skip


@pytest.fixture(scope="module")
def by_program(scenario, tmp_path_factory):
    """Folder of a campaign of the program itself."""
    place = tmp_path_factory.mktemp("program") / "campaign"
    run_hil("campaign", scenario, "--seeds", "0:2", "--workers", "1", "--out", place)
    return place


def test_a_run_of_a_campaign_is_the_one_that_hil_run_makes_and_replay_again(
    by_program, by_one, scenario, tmp_path
):  # fmt: skip
    rows = rows_of(by_program)
    assert without(rows, "recording") == without(by_one[:2], "recording")
    replayed, _ = run_hil("campaign", "replay", by_program, "1", "--json")
    (only,) = json.loads(replayed)["replays"]
    assert only["same"]
    assert only["recording_sha256"] == rows[1]["recording_sha256"]
    assert Path(only["recording"]).is_file()
    status = int(rows[0]["outcome"] != "succeeded")
    asked = ("run", scenario, "--seed", "0", "--json", "--out", tmp_path)
    ran = json.loads(run_hil(*asked, status=status)[0])
    assert ran["recording_sha256"] == rows[0]["recording_sha256"]


def test_what_cannot_be_a_campaign_is_one_error_and_leaves_nothing(
    by_program, scenario, tmp_path, monkeypatch
):  # fmt: skip
    monkeypatch.chdir(tmp_path)
    before = (by_program / "campaign.json").read_bytes()
    for words, *arguments in [
        ("holds a campaign already", scenario, "--seeds", "0:3", "--out", by_program),
        ("is of another campaign", "heave", "--seeds", "0:3", "--resume", by_program),
        ("holds no seed", scenario, "--seeds", "5:5"),
        ("is reversed", scenario, "--seeds", "5:1"),
        ("--seeds is needed", scenario),
        ("a SCENARIO is needed", "--seeds", "0:3"),
        ("0: 1 to 256 are possible", scenario, "--seeds", "0:3", "--workers", "0"),
        ("failures or all is needed", scenario, "--seeds", "0:3", "--keep", "none"),
        ("names no diagram", scenario, "--seeds", "0:3", "--diagram", scenario),
        ("no such file", scenario, "--seeds", "0:3", "--set", "rig=train"),
        ("should be 'refuse' or", scenario, "--seeds", "0:3", "--compare", "devices.fallback=x,y"),
        ("holds no campaign", "--resume", tmp_path),
        ("seed 9 has no row; there are 0:2", "replay", by_program, "9"),
        ("is a together scenario", "platform_and_arm", "--seeds", "0:3"),
    ]:
        done = CliRunner().invoke(app, ["campaign", *map(str, arguments)])
        assert done.exit_code == 2, (words, done.output)
        errors = [line for line in done.output.splitlines() if line.startswith("error: ")]
        assert len(errors) == 1, (words, done.output)
        assert words in done.output, (words, done.output)
    assert [*tmp_path.iterdir()] == []
    assert (by_program / "campaign.json").read_bytes() == before
    text = scenario.read_text()
    scenario.write_text(text.replace("0.40", "0.41"))
    done = CliRunner().invoke(app, ["campaign", "--resume", str(by_program)])
    scenario.write_text(text)
    assert "was made of other files" in done.output


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_of_two_local_workers_makes_the_same_rows(by_one, scenario, tmp_path):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True
    ) as local:
        executor = ClusterExecutor(local.scheduler_address)
        assert executor.workers == 2
        rows = conduct(tmp_path / "c", scenario, executor)
    assert without(rows, "recording") == without(by_one, "recording")


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_that_is_silent_is_named(monkeypatch):
    pytest.importorskip("distributed")
    assert cluster.SILENCE_S == 5.0
    monkeypatch.setattr(cluster, "SILENCE_S", 0.3)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        address = f"tcp://127.0.0.1:{listener.getsockname()[1]}"
        with pytest.raises(ConfigError, match=f"{address}: no answer within 0.3 s; start a sched"):
            ClusterExecutor(address)


def test_a_cluster_without_its_library_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ConfigError, match=r"pip install hil-bench\[campaign\]"):
        ClusterExecutor("tcp://127.0.0.1:1")


def test_links_of_a_robots_document_are_drawn(tmp_path):
    """A link's length of `robot_a`: other lengths, other runs, each in its own document."""
    path = tmp_path / "link.toml"
    path.write_text(
        'station = "world"\nname = "link"\nrobot = "robot_a"\nlaw = "gravity"\nsettle_s = 0.0\n'
        'step_s = 0.005\nfollowing_deg = 60.0\n[motion]\nkind = "hold"\nduration_s = 0.05\n'
        '[draw]\n"robot.link.3.dh.d_m" = { grid = [0.4, 0.6], count = 3 }\n'
    )
    rows = conduct(tmp_path / "c", path, LocalExecutor(1), seeds=(0, 1, 2, 3))
    assert [row["draw.robot.link.3.dh.d_m"] for row in rows] == ["0.4", "0.5", "0.6", "0.4"]
    hashes = [row["recording_sha256"] for row in rows]
    assert len({*hashes}) == 3
    assert hashes[0] == hashes[3]
