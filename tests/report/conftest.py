"""Runs and pages that several tests only look at."""

from pathlib import Path

import pytest
from report_samples import GOOD, TRIP_TEXT, TRIPPED, start_of, violation, write_run
from shared_fixtures import draw_coarsely, paint_nothing

from hil.recording.reader import Recording
from hil.report.page import write_report
from hil.stations.platform.report.view import RunView


@pytest.fixture(scope="session")
def good_run(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    return write_run(tmp_path_factory.mktemp("good") / "recording.mcap", GOOD)


@pytest.fixture(scope="session")
def tripped_run(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    first = start_of(TRIPPED, "CSTOP")
    events = (violation(first, TRIP_TEXT), violation(first, "leg 4: the same", leg=4))
    path = tmp_path_factory.mktemp("tripped") / "recording.mcap"
    return write_run(path, TRIPPED, events=events)


@pytest.fixture(scope="session")
def good_view(good_run: Recording) -> RunView:
    return RunView.of(good_run)


@pytest.fixture(scope="session")
def tripped_view(tripped_run: Recording) -> RunView:
    return RunView.of(tripped_run)


@pytest.fixture(scope="session")
def good_page(good_run: Recording) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        paint_nothing(patch)
        return write_report(good_run, good_run.path.parent)


@pytest.fixture(scope="session")
def tripped_page(tripped_run: Recording) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        draw_coarsely(patch)
        return write_report(tripped_run, tripped_run.path.parent)
