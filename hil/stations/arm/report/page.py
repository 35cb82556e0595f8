"""The evidence page of an arm's run: one self-contained HTML file, and its pictures beside it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import orjson

from hil.recording.events import EventKind, EventRecord, Level
from hil.report.page import MOST_ROWS, rendered, shown, write_page
from hil.report.style import Picture
from hil.stations.arm.recording import ArmRecording
from hil.stations.arm.report import drawing as arm_drawing
from hil.stations.arm.report import figures as arm_figures
from hil.stations.arm.report import path_figures as arm_path_figures
from hil.stations.arm.report.causes import Cause
from hil.stations.arm.report.joints import joint_tables
from hil.stations.arm.report.key_figures import arm_key_figures
from hil.stations.arm.report.link_table import link_table
from hil.stations.arm.report.view import ArmView


@dataclass(frozen=True, slots=True)
class Section:
    """A picture's place on the page, which is there even if there is nothing to draw.

    Args:
        name: of the section.
        title: of an empty one.
        draw: makes the picture.
        absent: why it can be missing.
        of_both: it compares both arms, so a robot that moved alone has none.
    """

    name: str
    title: str
    draw: Callable[[ArmView], Picture | None]
    absent: str
    of_both: bool = False


_NO_ARMS: Final = "Nothing to draw: no waypoint tells the joints of both arms, or what they are."
_NO_LINES: Final = (
    "Nothing to draw: fewer than two waypoints tell the joints of both arms, or what they are."
)
_NO_POSES: Final = "Nothing to draw: fewer than two waypoints were asked of the robot."

SECTIONS: Final = (
    Section("arms", "Both arms", arm_drawing.arms, _NO_ARMS),
    Section("motion", "The same motion at two places", arm_drawing.overlaid, _NO_POSES),
    Section(
        "relative", "Motion of both grippers over time", arm_figures.relative_motion, _NO_POSES
    ),
    Section(
        "accuracy",
        "Accuracy of the robot's path",
        arm_path_figures.accuracy,
        "Nothing to draw: the robot was sent nothing, or the recording does not tell both paths.",
        of_both=True,
    ),
    Section(
        "following",
        "How the robot followed",
        arm_path_figures.following,
        "Nothing to draw: the robot was sent nothing, or did not tell where it was.",
    ),
    Section(
        "speed",
        "Speed of the gripper",
        arm_figures.speed,
        _NO_POSES,
    ),
    Section("travel", "Way left to the joints' limits", arm_figures.travel_left, _NO_LINES),
    Section("rates", "Joint rates", arm_figures.rates, _NO_LINES),
    Section(
        "singular",
        "Distance of the industrial arm from its singularities",
        arm_figures.singular,
        "Nothing to draw: fewer than two waypoints tell the robot's joints.",
    ),
    Section(
        "answers",
        "Answers to the robot's requests",
        arm_figures.answers,
        "Nothing to draw: no answer was timed. With the virtual clock an answer takes no time.",
    ),
)


def write_arm_report(recording: ArmRecording, folder: Path, view: ArmView | None = None) -> Path:
    """Write ``report.html`` and ``pictures/*.png``.

    An odd recording (cut off, without motion, without its arms) gives a page that says so. The
    same recording gives the same bytes.

    Args:
        recording: the run.
        folder: where to write; made if it is not there.
        view: of that recording, if it is made already.

    Returns:
        The path of the page.

    Raises:
        RecordingError: if the folder cannot be written.
    """
    view = view or ArmView.of(recording)
    sections = [each for each in SECTIONS if not (view.robot_alone and each.of_both)]
    drawn: list[tuple[Section, Picture | None]] = []

    def draw() -> Iterator[Picture]:
        for section in sections:
            picture = section.draw(view)
            drawn.append((section, picture))
            if picture is not None:
                yield picture

    return write_page(folder, draw, lambda: _render(view, drawn))


def _render(view: ArmView, drawn: list[tuple[Section, Picture | None]]) -> str:
    figures = arm_key_figures(view)
    recording = view.run.recording
    causes = [event for event in recording.events if _is_cause(event)]
    facts = view.facts()
    scenario = None if recording.scenario is None else dict(recording.scenario)
    return rendered(
        "hil.stations.arm.report",
        view=view,
        verdict=view.verdict,
        title=facts.get("scenario", "unknown scenario"),
        facts_moves=facts.get("moves", ""),
        figures=figures,
        beyond=[figure.name for figure in figures if figure.bad],
        sections=[_shown(section, picture) for section, picture in drawn],
        joints=joint_tables(view),
        link=link_table(view),
        causes=[_row(event) for event in causes[:MOST_ROWS]],
        causes_left=max(0, len(causes) - MOST_ROWS),
        events=[_row(event) for event in recording.events[:MOST_ROWS]],
        events_left=max(0, len(recording.events) - MOST_ROWS),
        facts=[*facts.items(), ("recording sha256", recording.sha256)],
        scenario=""
        if scenario is None
        else orjson.dumps(scenario, option=orjson.OPT_INDENT_2).decode(),
    )


def _is_cause(event: EventRecord) -> bool:
    """An objection of the gate, or the bad end of a stream."""
    return event.kind is EventKind.VIOLATION or (
        "result" in event.data and event.level >= Level.ERROR
    )


def _shown(section: Section, picture: Picture | None) -> dict[str, str]:
    if picture is None:
        return {"name": section.name, "title": section.title, "caption": section.absent, "src": ""}
    return shown(picture)


def _row(event: EventRecord) -> dict[str, str | bool | Cause]:
    return {
        "t": f"{event.t_s:.3f}",
        "index": str(event.index),
        "kind": event.kind.value,
        "grave": event.level >= Level.ERROR,
        "name": event.name,
        "message": event.message,
        "cause": Cause.of(event.message, event.data),
    }
