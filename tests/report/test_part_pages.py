"""Pages of two stations of which one was killed: both are red, and say which died, and how."""

import signal
from contextlib import nullcontext

import pytest

from hil.arm_bench import prepare_plan, run_arm
from hil.arm_scenario import arm_plan_from_table
from hil.bench import run
from hil.cli_recordings import write_page
from hil.part_note import NOTE_NAME, PartNote
from hil.scenario import load_plan
from hil.shipped import configs_dir
from hil.signals import StopSignals

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
        patch.setattr("hil.arm_bench.StopSignals", Soon)
        arm = run_arm(prepared, out)
    assert platform.ok
    assert arm.ok
    return {"platform": platform.recorder.path, "arm": arm.recorder.path}


@pytest.fixture
def page(stopped):
    """The page of a station, with a note beside its recording or without."""

    def made(station, note=None):
        recording = stopped[station]
        (recording.parent / NOTE_NAME).unlink(missing_ok=True)
        if note is not None:
            note.write(recording.parent)
        return write_page(recording).read_text(encoding="utf-8")

    return made


@pytest.mark.parametrize("station", ["platform", "arm"])
def test_a_station_that_ran_alone_was_stopped_by_the_operator(page, station):
    text = page(station)
    assert '<header class="good">' in text
    assert "<title>STOPPED BY THE OPERATOR: " in text


@pytest.mark.parametrize(("station", "other"), [("platform", "arm"), ("arm", "platform")])
def test_the_other_station_says_which_died_and_is_not_green(page, station, other):
    text = page(station, PartNote(station, stopped_for=f"{other} came to a bad end: {HOW}"))
    assert '<header class="tripped">' in text
    assert "<title>STOPPED BECAUSE ANOTHER STATION FAILED: " in text
    assert f"This station, {station}, was asked to stop: {other} came to a bad end: {HOW}." in text
    assert "STOPPED BY THE OPERATOR" not in text


@pytest.mark.parametrize("station", ["platform", "arm"])
def test_the_station_that_died_says_how(page, station):
    text = page(station, PartNote(station, killed=HOW))
    assert '<header class="tripped">' in text
    assert "<title>FAILED: " in text
    assert f"The process of this station, {station}, ended badly: {HOW}." in text


@pytest.mark.parametrize("raw", [b"", b"[1]", b'{"part": "arm"}', b"\xff"])
def test_what_is_no_note_changes_nothing(page, stopped, raw):
    (stopped["arm"].parent / NOTE_NAME).write_bytes(raw)
    assert PartNote.beside(stopped["arm"]) is None
