"""The evidence page of a run: one self-contained HTML file, and its pictures beside it."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import orjson

from hil.recording.events import EventRecord, Level
from hil.recording.reader import Recording
from hil.report import timeline_figure
from hil.report.ending import is_request, violations_of
from hil.report.page import MOST_ROWS, rendered, shown, write_page
from hil.report.style import Picture
from hil.stations.platform.report import (
    lateness_figure,
    leg_figures,
    pose_figure,
    rig_figure,
    stop_figure,
)
from hil.stations.platform.report.key_figures import key_figures
from hil.stations.platform.report.view import RunView

Draw = Callable[[RunView], Picture | None]

BEFORE_VERDICTS: Final[tuple[Draw, ...]] = (
    stop_figure.stop,
    leg_figures.strokes,
    leg_figures.speeds,
    leg_figures.tracking,
    pose_figure.pose,
    rig_figure.rig,
    lateness_figure.lateness,
)
AFTER_VERDICTS: Final[tuple[Draw, ...]] = (timeline_figure.timeline,)


def write_report(recording: Recording, folder: Path) -> Path:
    """Write ``report.html`` and ``pictures/*.png``.

    An odd recording (cut off, without motion, of another version) gives a page that says so. The
    same recording gives the same bytes.

    Args:
        recording: the run.
        folder: where to write; made if it is not there.

    Returns:
        The path of the page.

    Raises:
        RecordingError: if the folder cannot be written.
    """
    view = RunView.of(recording)
    before, after = _drawn(view, BEFORE_VERDICTS), _drawn(view, AFTER_VERDICTS)
    return write_page(folder, lambda: (*before, *after), lambda: _render(view, before, after))


def _drawn(view: RunView, draws: tuple[Draw, ...]) -> list[Picture]:
    pictures = (draw(view) for draw in draws)
    return [picture for picture in pictures if picture is not None]


def _render(view: RunView, before: list[Picture], after: list[Picture]) -> str:
    violations = violations_of(view.recording)
    events = view.recording.events
    figures = key_figures(view)
    return rendered(
        "hil.stations.platform.report",
        view=view,
        verdict=view.verdict,
        title=_title(view),
        description="" if view.plan is None else view.plan.scenario.description,
        figures=figures,
        beyond=[figure.name for figure in figures if figure.bad],
        before=[shown(picture) for picture in before],
        after=[shown(picture) for picture in after],
        violations=[_violation_row(event) for event in violations[:MOST_ROWS]],
        violations_left=max(0, len(violations) - MOST_ROWS),
        events=[_event_row(event) for event in events[:MOST_ROWS]],
        events_left=max(0, len(events) - MOST_ROWS),
        settings=list(_settings(view)),
        facts=list(_facts(view)),
    )


def _title(view: RunView) -> str:
    facts = view.facts()
    if view.plan is not None:
        return f"{view.plan.scenario.name} on {view.plan.rig.name}"
    return f"{facts.get('scenario', 'unknown scenario')} on {facts.get('rig', 'unknown rig')}"


def _violation_row(event: EventRecord) -> dict[str, str]:
    """Time, check, leg, value, limit, unit and text; what an event lacks is left blank."""
    data = event.data
    numbers = {} if is_request(event) else data  # a refused request has no value
    return {
        "t": f"{event.t_s:.3f}",
        "check": str(data.get("check", "")).replace("_", " "),
        "leg": "" if data.get("leg") is None else str(data["leg"]),
        "value": _number(numbers.get("value")),
        "limit": _limit(numbers),
        "unit": str(data.get("unit", "")),
        "message": event.message,
    }


def _limit(data: Mapping[str, Any]) -> str:
    """The limit, or the range where an event tells both ends."""
    limit, low = _number(data.get("limit")), _number(data.get("low"))
    return f"{low} … {limit}" if low else limit


def _number(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return "" if value is None else str(value)


def _event_row(event: EventRecord) -> dict[str, str | bool]:
    return {
        "t": f"{event.t_s:.3f}",
        "index": str(event.index),
        "kind": event.kind.value,
        "level": event.level.name.lower(),
        "grave": event.level >= Level.ERROR and not is_request(event),
        "name": event.name,
        "message": event.message,
    }


def _settings(view: RunView) -> Iterator[tuple[str, str]]:
    """The effective scenario and rig as indented text; whatever was stored if it is no plan."""
    stored = view.recording.scenario
    if stored is None:
        return
    if view.plan is None:
        yield "Settings as stored", _indented(dict(stored))
        return
    scenario = view.plan.scenario.model_dump(mode="json")
    yield f"Effective scenario {view.plan.scenario.name}", _indented(scenario)
    yield f"Effective rig {view.plan.rig.name}", _indented(view.plan.rig.model_dump(mode="json"))


def _indented(value: object) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def _facts(view: RunView) -> Iterator[tuple[str, str]]:
    """What identifies the run: facts of its header, then the digest of what was recorded."""
    for name, text in view.facts().items():
        yield name.replace("_", " "), text
    yield "recording sha256", view.recording.sha256
