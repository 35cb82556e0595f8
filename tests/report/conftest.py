"""Runs and pages that several tests only look at."""

from pathlib import Path

import pytest
from matplotlib.figure import Figure
from report_samples import GOOD, TRIP_TEXT, TRIPPED, start_of, violation, write_run

import hil.report.style
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


def draw_coarsely(patch: pytest.MonkeyPatch) -> None:
    """For pages whose pictures nobody looks at: all are drawn, in a third of the dots each way."""
    patch.setattr(hil.report.style, "DPI", 36)


def paint_nothing(patch: pytest.MonkeyPatch) -> None:
    """For pages that are about texts: every picture is put together, none becomes dots."""
    patch.setattr(Figure, "savefig", lambda _, file, **__: file.write(b"not painted"))


@pytest.fixture
def coarse(monkeypatch: pytest.MonkeyPatch) -> None:
    draw_coarsely(monkeypatch)


@pytest.fixture
def unpainted(monkeypatch: pytest.MonkeyPatch) -> None:
    paint_nothing(monkeypatch)


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
