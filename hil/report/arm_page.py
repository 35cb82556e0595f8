"""The evidence page of an arm's run: one self-contained HTML file, and its pictures beside it."""

from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Final

import jinja2
import orjson

from hil.recording.arm_recording import ArmRecording
from hil.recording.frame import EventKind, EventRecord, Level
from hil.recording.header import RecordingError
from hil.report import arm_drawing, arm_figures
from hil.report.arm_key_figures import arm_key_figures
from hil.report.arm_view import ArmView
from hil.report.page import MOST_ROWS, PAGE_NAME, PICTURES_NAME
from hil.report.style import Picture

DRAWS: Final[tuple[Callable[[ArmView], Picture | None], ...]] = (
    arm_drawing.arms,
    arm_drawing.overlaid,
    arm_figures.relative_motion,
    arm_figures.following,
    arm_figures.speed,
    arm_figures.travel_left,
    arm_figures.rates,
    arm_figures.singular,
    arm_figures.answers,
)


def write_arm_report(recording: ArmRecording, folder: Path) -> Path:
    """Write ``report.html`` and ``pictures/*.png``.

    An odd recording (cut off, without motion, without its arms) gives a page that says so. The
    same recording gives the same bytes.

    Args:
        recording: the run.
        folder: where to write; made if it is not there.

    Returns:
        The path of the page.

    Raises:
        RecordingError: if the folder cannot be written.
    """
    view = ArmView.of(recording)
    pictures = [picture for draw in DRAWS if (picture := draw(view)) is not None]
    text = _render(view, pictures)
    page = folder / PAGE_NAME
    try:
        place = folder / PICTURES_NAME
        place.mkdir(parents=True, exist_ok=True)
        for picture in pictures:
            (place / f"{picture.name}.png").write_bytes(picture.png)
        page.write_text(text, encoding="utf-8")
    except OSError as error:
        raise RecordingError(f"{page}: cannot be written: {error.strerror or error}") from error
    return page


def _render(view: ArmView, pictures: list[Picture]) -> str:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("hil.report", "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    figures = arm_key_figures(view)
    recording = view.run.recording
    violations = [event for event in recording.events if event.kind is EventKind.VIOLATION]
    facts = view.facts()
    scenario = None if recording.scenario is None else dict(recording.scenario)
    return environment.get_template("arm_page.html.j2").render(
        view=view,
        verdict=view.verdict,
        title=facts.get("scenario", "unknown scenario"),
        figures=figures,
        beyond=[figure.name for figure in figures if figure.bad],
        pictures=[_shown(picture) for picture in pictures],
        violations=[_row(event) for event in violations[:MOST_ROWS]],
        violations_left=max(0, len(violations) - MOST_ROWS),
        events=[_row(event) for event in recording.events[:MOST_ROWS]],
        events_left=max(0, len(recording.events) - MOST_ROWS),
        facts=[*facts.items(), ("recording sha256", recording.sha256)],
        scenario=""
        if scenario is None
        else orjson.dumps(scenario, option=orjson.OPT_INDENT_2).decode(),
    )


def _shown(picture: Picture) -> dict[str, str]:
    return {
        "name": picture.name,
        "title": picture.title,
        "caption": picture.caption,
        "src": f"data:image/png;base64,{b64encode(picture.png).decode('ascii')}",
    }


def _row(event: EventRecord) -> dict[str, str | bool]:
    data = event.data
    return {
        "t": f"{event.t_s:.3f}",
        "index": str(event.index),
        "kind": event.kind.value,
        "grave": event.level >= Level.ERROR,
        "name": event.name,
        "message": event.message,
        "arm": str(data.get("arm", "")),
        "joint": str(data.get("joint", "")),
        "value": _number(data.get("value")),
        "limit": _number(data.get("limit")),
        "unit": str(data.get("unit", "")),
    }


def _number(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return "" if value is None else str(value)
