"""``hil arm identify``: the controller's handling of waypoints, from the places that it sends."""

from __future__ import annotations

import math
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hil.config.errors import ConfigError, RefusedError
from hil.config.inputs import collected
from hil.machines.kinds import ROBOT
from hil.run.file_kinds import find_kind
from hil.stations.arm.arm_summaries import IdentifiedSummary
from hil.stations.arm.commands.alone import (
    AtJointsNeededOption,
    LinkOption,
    MoveClockOption,
    choice_of,
    need_joints,
    say,
    show_result,
    shown_at,
)
from hil.terminal.console import Json, leave, out, print_json, verb, waiting
from hil.terminal.options import OutOption, RobotArg

if TYPE_CHECKING:
    from rich.table import Table

    from arm_driver.fit.identification import Identified
    from hil.stations.arm.moves.session import Choice
    from hil.stations.arm.moves.stroke_drive import Driven


@verb
@collected()
def identify(
    robot: RobotArg,
    arm_link: LinkOption = "sim:",
    at_joints: AtJointsNeededOption = None,
    write: Annotated[
        bool,
        typer.Option("--write", help="Put it into the robot's file; else its lines are printed."),
    ] = False,
    baud: Annotated[
        int | None,
        typer.Option("--baud", min=1200, help="Of the line behind socket://; left out: 9600."),
    ] = None,
    clock: MoveClockOption = None,
    folder: OutOption = Path("runs"),
    as_json: Json = False,
) -> None:
    """Find the delay, the blends and the following error of the robot's controller.

    The robot goes to and fro about where it stands, by 32 mm along each axis and by 9 degrees
    about its gripper's axis, while space is held: some three minutes. All of it is proved before
    the first byte. Its requests have to say where it is (option feedback).
    """
    import numpy as np

    from arm_driver.fit.identification import NotIdentifiedError
    from arm_driver.fit.identification import identify as identified
    from hil.stations.arm.moves.approach import joints_by_operator
    from hil.stations.arm.moves.session import session
    from hil.stations.arm.moves.strokes import prove_strokes, with_any_delay
    from sim.world.space_arm.simulator import TICK_S

    choice = choice_of(robot, arm_link, clock, None, at_joints)
    path = _file_to_write(robot) if write else None
    need_joints(arm_link, at_joints)
    known = choice.robot
    choice = replace(choice, robot=with_any_delay(known))
    with session(choice, say) as opened:
        start = joints_by_operator(choice.robot, opened.place, np.array(choice.emulated_deg))
        with waiting("proving the strokes"):
            strokes = prove_strokes(choice.robot, start)
        say(f"proved: {len(strokes)} strokes about {opened.place}")
        driven = _driven(opened, strokes, folder, _baud(arm_link, baud), as_json=as_json)
    if not driven.ok:
        say(f"nothing was identified or written; recordings: {driven.folder}")
        show_result(choice, driven.last, as_json=as_json)
    for text in driven.spoilt:
        say(f"does not count: {text}")
    try:
        found = identified(driven.strokes, period_s=TICK_S, step_s=known.blend.interpolation_s)
    except NotIdentifiedError as error:
        raise RefusedError(f"nothing was written: {error}; recordings: {driven.folder}") from None
    _show(choice, found, driven, path, robot, as_json=as_json)


def _driven(opened: Any, strokes: Any, folder: Path, baud: int, *, as_json: bool) -> Driven:
    from hil.stations.arm.moves.move_operators import HELP, open_operator
    from hil.stations.arm.moves.stroke_drive import drive_strokes

    quiet = opened.dry or as_json
    with closing(open_operator(opened.clock)) as hand:
        for line in () if quiet else (*HELP, "Ctrl-C ends the robot's stream at once"):
            say(line)
        return drive_strokes(
            opened, strokes, hand, folder, baud=baud,
            say=(lambda text: None) if quiet else say, shown_at=shown_at(opened, as_json),
        )  # fmt: skip


def _baud(url: str, said: int | None) -> int:
    from arm_driver.contour.urls import DEFAULT_BAUD, SerialLink, parse_arm_link

    link = parse_arm_link(url) if url.startswith("serial:") else None
    if isinstance(link, SerialLink):
        if said not in (None, link.baud):
            raise ConfigError("--baud", [f"{said}: the link says {link.baud}; leave --baud out"])
        return link.baud
    return DEFAULT_BAUD if said is None else said


def _file_to_write(robot: str) -> Path:
    from hil.config.file_search import configs_dir

    path, _ = find_kind(robot, ROBOT, key="ROBOT")
    if path.resolve().is_relative_to(configs_dir().resolve()):
        raise ConfigError(
            "--write",
            [f"{path} comes with the bench: copy it, and name the copy here and in your scenarios"],
        )
    return path


def _show(
    choice: Choice, found: Identified, driven: Driven, path: Path | None, robot: str,
    *, as_json: bool,
) -> None:  # fmt: skip
    from hil.machines.robot.settings import RobotSettings
    from hil.stations.arm.moves.controller_keys import changes, write

    file, _ = find_kind(robot, ROBOT, key="ROBOT")
    changed = changes(found, RobotSettings.load(file), driven.day)
    if path is not None:
        write(path, changed)
    if as_json:
        print_json(
            IdentifiedSummary(
                ok=True, robot=choice.robot_line, identified=changed,
                written=None if path is None else str(path), recordings=str(driven.folder),
            )
        )  # fmt: skip
        leave(True)
    out.print(f"robot: {choice.robot_line}, {len(driven.strokes)} strokes")
    out.print(_table(found))
    if path is None:
        out.print("for its file (--write puts them there):")
        for table, values in changed.items():
            out.print(f"[{table}]")
            for key, value in values.items():
                out.print(f"{key} = {value!r}".replace("'", '"'), soft_wrap=True)
    else:
        out.print(f"written: {path}", soft_wrap=True)
    leave(True)


def _table(found: Identified) -> Table:
    from rich.table import Table

    table = Table("", "found", "behind its set-point", box=None, pad_edge=False)
    table.add_row("delay of the path, request to set-point", str(found.path_delay_s), "")
    table.add_row("longest blend", str(found.blend_s), "")
    for name, axis in found.axes.items():
        error, fastest = axis.following_error, axis.fastest
        behind = f"{1e3 * error:.2f} mm at {1e3 * fastest:.0f} mm/s"
        if name == "turn":
            behind = f"{math.degrees(error):.2f} deg at {math.degrees(fastest):.0f} deg/s"
        table.add_row(f"lag, {name}", str(axis.lag_s), behind)
    return table
