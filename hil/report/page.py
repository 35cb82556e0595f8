"""The evidence page of a run: one self-contained HTML file, and its pictures beside it.

The page is the same for all stations but for the sections that a station adds. A recording whose
station is not installed here has all that its own header has, and a word on what is missing.
"""

from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any, Final

from hil.config.files import make_folder, write_whole
from hil.recording.events import EventRecord, Level
from hil.recording.header import RecordingError
from hil.recording.reader import Recording
from hil.report.recorded_run import KeyFigure, RecordedRun, Tables, common_figures, recorded_run
from hil.report.run_verdict import is_request
from hil.report.style import Picture
from hil.report.template import render
from hil.report.time_axes import timeline
from hil.run.late_call import late
from hil.run.registry import missing, station_or_none
from hil.run.station import Section, Station

PAGE_NAME: Final = "report.html"
PICTURES_NAME: Final = "pictures"
MOST_ROWS: Final = 500
"""Longer lists end with a word on how many are left out; the recording has them all."""
NO_PLACE: Final = frozenset(
    {"check", "value", "low", "limit", "unit", "result", "reason", "note", "message"}
)
"""Keys of an event's data that are not its place."""
SHOWN_ROWS: Final = 12
"""Objections seen at once, the others when they are asked for."""


def write_report(recording: Recording, folder: Path, run: RecordedRun | None = None) -> Path:
    """Write ``report.html`` and ``pictures/*.png``; the path of the page.

    An odd recording (cut off, without motion, of another version) gives a page that says so. The
    same recording gives the same bytes. The folder is made before the work of drawing.

    Args:
        run: the recording as its station prepares it, if that is done already.

    Raises:
        RecordingError: if the folder cannot be written.
    """
    station = station_or_none(recording.signals.station)
    run = run or _prepared(recording, station)
    page, place = folder / PAGE_NAME, folder / PICTURES_NAME
    try:
        make_folder(folder, PurePath(PICTURES_NAME))
        sections = () if station is None else station.sections
        found = [(one, made(one, run)) for one in sections if not getattr(run, one.unless, False)]
        figures = late(station.figures)(run) if station and station.figures else None
        course = timeline(run)
        for picture in (*(content for _, content in found), course):
            if isinstance(picture, Picture):
                write_whole(place / f"{picture.name}.png", picture.png)
        text = _rendered(run, figures or common_figures(run), found, course)
        write_whole(page, text.encode("utf-8", "replace"))
    except OSError as error:
        raise RecordingError(f"{page}: cannot be written: {error.strerror or error}") from error
    return page


def first_picture(recording: Recording) -> Picture | None:
    """Draw the first picture of a run's page, and no other; None if there is nothing to draw."""
    station = station_or_none(recording.signals.station)
    run = _prepared(recording, station)
    for section in () if station is None else station.sections:
        if getattr(run, section.unless, False):
            continue
        if isinstance(content := made(section, run), Picture):
            return content
    return timeline(run)


def _prepared(recording: Recording, station: Station | None) -> RecordedRun:
    """A recording as its station sees it; as all do if it is not here, or says no more."""
    if station is not None and station.recorded is not None:
        return station.recorded(recording)
    lack = f"Shown is what runs of all stations have: {missing(recording.header)}."
    return recorded_run(recording, () if station else (lack,))


def made(section: Section, run: RecordedRun) -> Picture | Tables | None:
    """Content of a station's section about a run."""
    return late(section.maker)(run)


def _rendered(
    run: RecordedRun,
    figures: list[KeyFigure],
    found: list[tuple[Section, Picture | Tables | None]],
    course: Picture | None,
) -> str:
    objections, events = run.objections(), run.recording.events
    facts = [(name.replace("_", " "), text) for name, text in run.facts().items()]
    return render(
        "page.html.j2",
        run=run,
        figures=figures,
        beyond=[figure.name for figure in figures if figure.bad],
        sections=[shown for one, content in found if (shown := _shown(one, content))],
        timeline=[] if course is None else [_picture(course)],
        objections=[_objection(event, run.event_s(event)) for event in objections[:MOST_ROWS]],
        objections_left=max(0, len(objections) - MOST_ROWS),
        shown_rows=SHOWN_ROWS,
        events=[_event(event, run.event_s(event)) for event in events[:MOST_ROWS]],
        events_left=max(0, len(events) - MOST_ROWS),
        facts=[*facts, ("recording sha256", run.recording.sha256)],
        files=(run.recording.files or ())[:MOST_ROWS],
        files_left=max(0, len(run.recording.files or ()) - MOST_ROWS),
        settings=list(run.settings()),
    )


def _shown(section: Section, content: Picture | Tables | None) -> dict[str, Any]:
    """Values of a section for the template; nothing if it is empty and need not be there."""
    if isinstance(content, Picture):
        return _picture(content)
    if content is None and not section.absent:
        return {}
    tables = () if content is None else content.tables
    note = section.absent if content is None else content.note
    words = {"name": section.name, "title": section.title, "caption": note}
    return words | {"src": "", "tables": tables}


def _picture(picture: Picture) -> dict[str, Any]:
    """A picture as a page has it: in the page itself."""
    source = f"data:image/png;base64,{b64encode(picture.png).decode('ascii')}"
    words = {"name": picture.name, "title": picture.title, "caption": picture.caption}
    return words | {"src": source, "tables": ()}


def _objection(event: EventRecord, t_s: float) -> dict[str, str]:
    """Values of one objection; what an event lacks is left blank."""
    data = event.data
    numbers = {} if is_request(event) else data  # a refused request has no value
    limit, low = _number(numbers.get("limit")), _number(numbers.get("low"))
    return {
        "t": f"{t_s:.3f}",
        "index": str(event.index),
        "name": event.name,
        "check": str(data.get("check") or data.get("result") or "").replace("_", " ").lower(),
        "place": _place(data),
        "value": _number(numbers.get("value")),
        "limit": f"{low} … {limit}" if low else limit,
        "unit": str(data.get("unit") or ""),
        "message": event.message,
    }


def _place(data: Mapping[str, Any]) -> str:
    """Part of the machine that an event is about: its fields beside its numbers and words."""
    return ", ".join(
        f"{key} {value}" if isinstance(value, int) else str(value)
        for key, value in data.items()
        if key not in NO_PLACE and value not in (None, "")
    )


def _number(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return "" if value is None else str(value)


def _event(event: EventRecord, t_s: float) -> dict[str, str | bool]:
    return {
        "t": f"{t_s:.3f}",
        "index": str(event.index),
        "kind": event.kind.value,
        "level": event.level.name.lower(),
        "grave": event.level >= Level.ERROR and not is_request(event),
        "name": event.name,
        "message": event.message,
    }
