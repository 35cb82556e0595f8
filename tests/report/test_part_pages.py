"""Pages of two stations of which one was killed: both are red, and say which died, and how."""

import signal
from contextlib import nullcontext

import pytest

from hil.cli.recordings import write_page
from hil.config.file_search import configs_dir
from hil.recording.reader import Recording
from hil.report.run_verdict import Ending
from hil.run.part_process import NOTE_NAME, PartNote
from hil.stations.arm.plan.scenario import arm_plan_from_table
from hil.stations.arm.report.recording import ArmRecording
from hil.stations.arm.report.view import ArmView
from hil.stations.arm.run.bench import prepare_plan, run_arm
from hil.stations.platform.bench.bench import run
from hil.stations.platform.plan.scenario import load_plan
from hil.stations.platform.report.view import RunView
from hil.timing.stop import StopSignals

SHIPPED = configs_dir() / "scenarios"
HOW = "it was killed by signal 9"
ARM = {
    "station": "arm", "name": "short", "space_arm": {"model": "b"},
    "mapping": {
        "start": {"position_m": [0.6963, -0.15005, 0.6576], "oat_deg": [90.0, 0.0, 0.0]},
        "start_joints_deg": [0.0, 45.0, -180.0, 0.0, 45.0, 0.0],
    },
    "source": {
        "kind": "profile", "frame": "base",
        "segment": [{"duration_s": 8.0, "velocity_m_s": [0.0, 0.0, 0.01]}],
    },
}  # fmt: skip


class Later(StopSignals):
    """A wish that comes after so many looks at it."""

    left = 3000

    @property
    def asked(self):
        self.left -= 1
        return signal.SIGINT if self.left < 0 else None


class Soon(Later):
    left = 300


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """A recording of each station that was stopped half-way by a signal."""
    out = tmp_path_factory.mktemp("stopped")
    platform = run(
        load_plan(SHIPPED / "heave.toml", ["motion.duration_s=20"]), out,
        stop=nullcontext(Later()),
    )  # fmt: skip
    prepared = prepare_plan(arm_plan_from_table(ARM, out / "short.toml"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hil.run.run.StopSignals", Soon)
        arm = run_arm(prepared, out)
    assert platform.ok
    assert arm.ok
    return {"platform": platform.recorder.path, "arm": arm.recorder.path}


@pytest.fixture
def noted(stopped):
    """The recording of a station, with a note beside it or without."""

    def made(station, note=None):
        path = stopped[station]
        (path.parent / NOTE_NAME).unlink(missing_ok=True)
        if note is not None:
            note.write(path.parent)
        return path

    return made


def verdict_of(station, path):
    if station == "arm":
        return ArmView.of(ArmRecording.open(path)).verdict
    return RunView.of(Recording.open(path)).verdict


@pytest.mark.parametrize("station", ["platform", "arm"])
def test_a_station_that_ran_alone_was_stopped_by_the_operator(noted, station):
    assert verdict_of(station, noted(station)).ending is Ending.STOPPED


@pytest.mark.usefixtures("unpainted")
@pytest.mark.parametrize(("station", "other"), [("platform", "arm"), ("arm", "platform")])
def test_the_other_station_says_which_died_and_its_page_is_red(noted, station, other):
    path = noted(station, PartNote(station, stopped_for=f"{other} came to a bad end: {HOW}"))
    text = write_page(path).read_text(encoding="utf-8")
    assert '<header class="tripped">' in text
    assert "<title>STOPPED BECAUSE ANOTHER STATION FAILED: " in text
    assert f"This station, {station}, was asked to stop: {other} came to a bad end: {HOW}." in text
    assert "STOPPED BY THE OPERATOR" not in text


@pytest.mark.parametrize("station", ["platform", "arm"])
def test_the_station_that_died_says_how(noted, station):
    found = verdict_of(station, noted(station, PartNote(station, killed=HOW)))
    assert found.ending is Ending.FAILED
    assert not found.ending.good
    assert f"The process of this station, {station}, ended badly: {HOW}." in found.reason


@pytest.mark.parametrize("raw", [b"", b"[1]", b'{"part": "arm"}', b"\xff"])
def test_what_is_no_note_changes_nothing(stopped, raw):
    (stopped["arm"].parent / NOTE_NAME).write_bytes(raw)
    assert PartNote.beside(stopped["arm"]) is None
    assert verdict_of("arm", stopped["arm"]).ending is Ending.STOPPED
