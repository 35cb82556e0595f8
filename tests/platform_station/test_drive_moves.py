"""What a signal between the runs of a slow test does: the result is told, and nothing moves on."""

import json
import signal
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from drives.bank import BankEnd
from hil.config.errors import RefusedError
from hil.recording.header import RecordingError
from hil.recording.recorder import RecorderResult, RecorderStatus
from hil.run.end import Conclusion
from hil.stations.platform.bench.bench import Outcome
from hil.stations.platform.commissioning import moves as drive_moves
from hil.terminal.run_end import show_end
from hil.timing.stop import StopSignals

CUT, UNCUT = BankEnd(cut_us=(60_000,) * 6), BankEnd()


class Runs:
    """In place of the runs: keeps which were asked for, and ends each as it is told to."""

    def __init__(self, monkeypatch, links=(CUT, CUT), first=UNCUT):
        self.played, self.links = [], iter((first, *links))
        self.during = self.judging = lambda: None
        self.simulated = True
        for name, stand_in in (
            ("play_moves", self.play),
            ("judge_test_move", lambda *_: self.judging() or ()),
            ("all_passed", lambda tests: True),
            ("Recording", SimpleNamespace(open=lambda path: None)),
            ("switch_of", lambda rig: None),
            ("watchdog_s", lambda plan: 0.05),
            ("lacking", lambda *_: []),
            ("show_end", lambda *_: self.judging()),
            ("drives_of", lambda _: "simulated"),
            ("show_drives", lambda *_: self.judging()),
        ):
            monkeypatch.setattr(drive_moves, name, stand_in)

    def play(self, plan, folder, **_options):
        self.played.append(plan.name)
        with StopSignals():
            self.during()
        link = next(self.links)
        if isinstance(link, Exception):
            raise link
        return SimpleNamespace(
            end=END, ok=True, outcome=Outcome.COMPLETED, reason="what it ended with", link=link,
            homed=(True,) * 6, drives=SimpleNamespace(simulated=self.simulated, identities=()),
            recorder=SimpleNamespace(path=Path("recording.mcap")),
        )  # fmt: skip


RECORDED = RecorderResult(Path("recording.mcap"), RecorderStatus.DONE, 0, 0, 0, None)
END = Conclusion(
    "completed", well=True, reason="what it ended with", failures=(), recorder=RECORDED
)


def plan(name):
    scenario = SimpleNamespace(period_s=0.01)
    return SimpleNamespace(
        name=name, rig=None, drives_url="modbus-tcp://127.0.0.1", scenario=scenario
    )


def all_told(capsys, observer=""):
    cuts = (plan("at rest"), plan("moving"))
    passed = drive_moves.leg_test_and_show(
        plan("test"), cuts, Path(), observer=observer, as_json=True
    )
    return passed, json.loads(capsys.readouterr().out)


def interrupt():
    signal.raise_signal(signal.SIGINT)


def test_all_three_runs_are_played(monkeypatch, capsys):
    runs = Runs(monkeypatch)
    passed, told = all_told(capsys)
    assert passed
    assert told["ok"]
    assert runs.played == ["test", "at rest", "moving"]


@pytest.mark.parametrize("moment", ["during", "judging"])
def test_a_signal_in_or_after_the_test_move_is_the_end_and_the_result_is_told(
    monkeypatch, capsys, moment
):
    runs = Runs(monkeypatch)
    setattr(runs, moment, interrupt)
    passed, told = all_told(capsys)
    assert runs.played == ["test"]
    assert not passed
    assert "SIGINT" in told["reason"]


def test_a_first_silence_that_did_not_come_about_is_not_followed_by_a_second(monkeypatch, capsys):
    runs = Runs(monkeypatch, links=(UNCUT, CUT))
    passed, told = all_told(capsys)
    assert runs.played == ["test", "at rest"]
    assert not passed
    assert "what it ended with" in told["reason"]


def test_a_silence_that_is_refused_does_not_say_that_nothing_has_moved(monkeypatch, capsys):
    Runs(monkeypatch, links=(RefusedError("nothing has moved: no drives"),))
    with pytest.raises(RefusedError, match=r"the test move was passed; .* no drives"):
        all_told(capsys)


def test_a_signal_after_homing_does_not_take_its_result_away(monkeypatch, capsys):
    runs = Runs(monkeypatch)
    runs.judging = interrupt

    def play(plan_, folder, *, until_shown, **options):
        until_shown.enter_context(StopSignals())
        return runs.play(plan_, folder, **options)

    monkeypatch.setattr(drive_moves, "play_moves", play)
    assert drive_moves.home_and_show(plan("home"), None, Path(), as_json=False)


def test_whoever_breaks_off_the_question_does_not_vouch(monkeypatch):
    def broken_off(_question):
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", broken_off)
    assert drive_moves._asked() == ""


def test_drives_that_do_not_tell_who_they_are_pass_without_a_certificate_and_that_is_said(
    monkeypatch, capsys
):
    Runs(monkeypatch).simulated = False
    passed, told = all_told(capsys, observer="A. Person")
    assert passed
    assert told["certificate"] is None
    assert "do not tell who they are" in told["lacking"][0]


UNDER_POWER = "leg 4 (node 4): it is operation enabled (statusword 6041h: 0x0237)"


@pytest.mark.parametrize("which", [0, 1])
def test_a_test_that_leaves_a_drive_under_power_is_not_passed_and_ends_with_its_name(
    monkeypatch, capsys, which
):
    """In whichever silence it was; nothing moves on, and no certificate is kept."""
    left = replace(CUT, powered=(UNDER_POWER,))
    links = (left,) if which == 0 else (CUT, left)
    runs = Runs(monkeypatch, links=links)
    passed, told = all_told(capsys, observer="A. Person")
    assert (passed, told["ok"], told["powered"]) == (False, False, [UNDER_POWER])
    assert told["certificate"] is None
    assert runs.played == ["test", "at rest", "moving"][: 2 + which]
    Runs(monkeypatch, links=links)
    cuts = (plan("at rest"), plan("moving"))
    assert not drive_moves.leg_test_and_show(
        plan("test"), cuts, Path(), observer="A. Person", as_json=False
    )
    last = capsys.readouterr().out.strip().splitlines()[-1]
    assert last == f"NOT PROVED TO BE OFF, take its power: {UNDER_POWER}"


@pytest.mark.parametrize("as_json", [False, True])
def test_a_recording_that_cannot_be_read_fails_the_test_and_takes_no_result_away(
    monkeypatch, capsys, as_json
):
    """What the drives were left as is told, and nothing moves on."""
    runs = Runs(monkeypatch, first=replace(UNCUT, powered=(UNDER_POWER,)))

    def gone(_path):
        raise RecordingError("recording.mcap: cannot be read: Too many open files")

    monkeypatch.setattr(drive_moves, "Recording", SimpleNamespace(open=gone))
    monkeypatch.setattr(drive_moves, "show_end", show_end)
    cuts = (plan("at rest"), plan("moving"))
    assert not drive_moves.leg_test_and_show(
        plan("test"), cuts, Path(), observer="A. Person", as_json=as_json
    )
    told = capsys.readouterr().out
    assert runs.played == ["test"]
    assert "test move: recording.mcap: cannot be read: Too many open files" in told
    assert UNDER_POWER in told


def test_homing_that_leaves_a_drive_under_power_tells_it(monkeypatch, capsys):
    runs = Runs(monkeypatch)
    left = replace(UNCUT, powered=(UNDER_POWER,))
    failed = replace(END, outcome="failed", well=False, reason=f"NOT PROVED: {UNDER_POWER}")

    def play(plan_, folder, **options):
        return SimpleNamespace(**vars(runs.play(plan_, folder)) | {"link": left, "end": failed})

    monkeypatch.setattr(drive_moves, "play_moves", play)
    assert not drive_moves.home_and_show(plan("home"), None, Path(), as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert (told["ok"], told["powered"]) == (False, [UNDER_POWER])
