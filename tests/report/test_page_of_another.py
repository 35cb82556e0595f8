"""The page of a run whose station is not here, or says nothing more of its runs than all do."""

from importlib import import_module

import pytest
from html_samples import parsed
from report_samples import TRIP_TEXT, with_columns

import hil.run.registry
from hil.cli.recordings import write_page
from hil.recording.reader import Recording
from hil.report.page import write_report
from hil.report.recorded_run import recorded_run
from hil.report.run_verdict import Ending
from hil.run.registry import Installed, stations

COMMON = ["objections", "timeline", "events", "settings"]


@pytest.mark.parametrize(
    ("offered", "words"),
    [
        ((), "station 'platform' is not installed here; install the package that brings it"),
        ((Installed("platform", "a 1", None, "it does not load"),), "it does not load"),
    ],
)
@pytest.mark.usefixtures("unpainted")
def test_without_its_station_a_run_has_the_common_half_and_a_word(
    tripped_run: Recording, tmp_path, monkeypatch: pytest.MonkeyPatch, offered, words: str
) -> None:
    monkeypatch.setattr(hil.run.registry, "installed", lambda: offered)
    page = parsed(write_page(tripped_run.path, tmp_path))
    assert page.attributes("id") == COMMON
    assert f"Shown is what runs of all stations have: {words}." in page.text
    assert f"TRIPPED: demo\nAt 0.966 s: {TRIP_TEXT}" in page.text
    assert "rows recorded553 over 1.10 s" in page.text
    assert '"base_radius_m": 1.0' in page.text
    assert [path.name for path in (tmp_path / "pictures").iterdir()] == ["timeline.png"]


def test_a_run_of_which_nothing_more_is_known_is_judged_by_events_and_modes(
    good_run: Recording, tripped_run: Recording
) -> None:
    assert recorded_run(good_run).verdict.ending is Ending.COMPLETED
    faulted = good_run.column("mode").copy()
    faulted[-1] = good_run.modes.index("FAULT")
    ended = recorded_run(with_columns(good_run, mode=faulted)).verdict
    assert (ended.ending, ended.reason) == (Ending.TRIPPED, "The run ended in FAULT.")
    none = with_columns(good_run, **{name: col[:0] for name, col in good_run.columns.items()})
    assert recorded_run(none).verdict.ending is Ending.EMPTY


@pytest.mark.parametrize("station", stations(), ids=lambda station: station.name)
def test_what_a_station_adds_to_a_page_is_there(station) -> None:
    names = [section.name for section in station.sections]
    assert len(set(names)) == len(names)
    assert not set(names) & set(COMMON)
    for maker in filter(None, (station.figures, *(one.maker for one in station.sections))):
        module, _, name = maker.partition(":")
        assert callable(getattr(import_module(module), name))
    for section in station.sections:
        if section.unless:
            view = import_module(f"hil.stations.{station.name}.report.view")
            kind = getattr(view, "ArmView", None)
            assert isinstance(getattr(kind, section.unless), property)


def test_the_same_page_of_a_station_that_is_here(good_run: Recording, tmp_path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hil.report.page.made", lambda section, run: None)
        patch.setattr("hil.report.page.timeline", lambda run: None)
        text = parsed(write_report(good_run, tmp_path)).text
    assert "Shown is what runs of all stations have" not in text
    assert "COMPLETED: demo on paper" in text
