"""``hil arm goto`` and ``play``: the robot moves alone, while an operator holds it."""

from __future__ import annotations

import select
import shlex
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hil.config.errors import ConfigError, RefusedError
from hil.config.inputs import collected
from hil.run.file_kinds import find_kind
from hil.stations.arm.commands.alone import (
    SIX_JOINTS,
    AtJointsOption,
    LinkOption,
    MoveClockOption,
    SpeedOption,
    choice_of,
    part_of,
    say,
    say_keys,
    show_nothing,
    show_result,
    shown_at,
    six,
)
from hil.stations.arm.commands.pose import POSE_NAMES
from hil.terminal.console import Json, err, numbers, out, styled, verb, waiting
from hil.terminal.options import ArmAtOption, OutOption, RobotArg

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hil.machines.robot.settings import RobotSettings
    from hil.stations.arm.moves.goto import GotoTarget
    from hil.stations.arm.moves.proof import ProvedMove
    from hil.stations.arm.moves.session import RobotSession


@verb
@collected()
def goto(
    robot: RobotArg,
    joints: Annotated[
        str | None, typer.Option("--joints", metavar=SIX_JOINTS, help="Where to [deg].")
    ] = None,
    pose: Annotated[
        str | None,
        typer.Option(
            "--pose",
            metavar=POSE_NAMES,
            help="Where to [mm, deg], in the posture in which the robot stands.",
        ),
    ] = None,
    scenario: Annotated[
        str | None,
        typer.Option("--start-of", metavar="SCENARIO", help="To where this arm scenario begins."),
    ] = None,
    arm_link: LinkOption = "sim:",
    speed_mm_s: SpeedOption = 50.0,
    straight: Annotated[
        bool, typer.Option("--straight", help="Along a straight line; else joints in proportion.")
    ] = False,
    at_joints: AtJointsOption = None,
    arm_at: ArmAtOption = None,
    clock: MoveClockOption = None,
    folder: OutOption = Path("runs"),
    as_json: Json = False,
) -> None:
    """Drive the robot alone to joints, a place, or where a scenario begins, while space is held.

    The whole way is proved before the first byte. Let go, the robot rests on its way.
    """
    from hil.stations.arm.moves.goto import plan_goto, start_of
    from hil.stations.arm.moves.move_operators import HELP, open_operator
    from hil.stations.arm.moves.session import session

    choice = choice_of(robot, arm_link, clock, arm_at, at_joints)
    part = part_of(choice.robot, speed_mm_s)
    target = _target(choice.robot, joints, pose, scenario)
    with session(choice, say) as opened:
        start = start_of(opened, target, _asks(opened, as_json=as_json))
        move = plan_goto(choice.robot, start, target, part, straight=straight)
        if move is None:
            show_nothing(opened, f"the robot is at {target.name} already", as_json=as_json)
            return
        if not as_json:
            _show_move(move, target.name)
        with closing(open_operator(opened.clock)) as hand:
            say_keys(HELP, opened, quiet=as_json)
            found = opened.drive(
                move, start, hand, folder, name="goto", moves=f"to {target.name}",
                shown_at=shown_at(opened, as_json),
            )  # fmt: skip
    show_result(choice, found, as_json=as_json)


@verb
@collected()
def play(
    robot: RobotArg,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="CSV file with t_s, x_mm, y_mm, z_mm, o_deg, a_deg, t_deg; or the folder of an "
            "earlier run: what its robot was sent.",
        ),
    ],
    slower: Annotated[
        bool,
        typer.Option("--slower", help="Take more time than recorded, until every limit is kept."),
    ] = False,
    arm_link: LinkOption = "sim:",
    at_joints: AtJointsOption = None,
    arm_at: ArmAtOption = None,
    clock: MoveClockOption = None,
    folder: OutOption = Path("runs"),
    as_json: Json = False,
) -> None:
    """Drive the robot alone along a recorded path, while space is held.

    It has to stand at its start. It goes in the recorded time, all of it proved before the first
    byte. Let go, it rests on the path.
    """
    from hil.stations.arm.moves.goto import start_of
    from hil.stations.arm.moves.move_operators import HELP, open_operator
    from hil.stations.arm.moves.play import away_from_start, goto_words, plan_play, read_recorded
    from hil.stations.arm.moves.session import session

    choice = choice_of(robot, arm_link, clock, arm_at, at_joints)
    recorded = read_recorded(file, choice.robot)
    with session(choice, say) as opened:
        if why := away_from_start(opened, recorded):
            words = ["hil", "arm", "goto", robot, *goto_words(recorded, choice.robot)]
            words += ["--arm-link", arm_link] if arm_link != "sim:" else []
            raise RefusedError(f"{why}; to get there:  {shlex.join(words)}")
        start = start_of(opened, recorded.target, _asks(opened, as_json=as_json))
        move = plan_play(choice.robot, start, recorded, slower=slower)
        if not as_json:
            _show_move(move, f"the end of {recorded.name}")
        with closing(open_operator(opened.clock)) as hand:
            say_keys(HELP, opened, quiet=as_json)
            found = opened.drive(
                move, start, hand, folder, name="play", moves=f"along {recorded.name}",
                shown_at=shown_at(opened, as_json),
            )  # fmt: skip
    show_result(choice, found, as_json=as_json)


def _target(
    robot: RobotSettings, joints: str | None, pose: str | None, scenario: str | None
) -> GotoTarget:
    """Read the target from the one option that gives it."""
    import numpy as np

    from arm_driver.contour.place import read_place
    from hil.stations.arm.moves.goto import GotoTarget

    given = [name for name, value in (("--joints", joints), ("--pose", pose),
                                      ("--start-of", scenario)) if value is not None]  # fmt: skip
    if len(given) != 1:
        names = " and ".join(given) or "none"
        raise ConfigError(
            "command line", [f"one of --joints, --pose and --start-of is needed; given: {names}"]
        )
    if joints is not None:
        return GotoTarget.of_joints(
            robot, np.array(six(joints, "--joints")), f"joints {joints} deg"
        )
    if scenario is not None:
        return GotoTarget.of_joints(robot, _start_deg(robot, scenario), f"the start of {scenario}")
    wanted = numbers(pose or "", 6, "--pose", f"{POSE_NAMES} in mm and degrees")
    try:
        place = read_place(wanted, robot.oat_convention())
    except ValueError as error:
        raise ConfigError("--pose", [str(error)]) from None
    return GotoTarget(place.X_RT, None, f"{place}")


def _start_deg(robot: RobotSettings, scenario: str) -> NDArray[np.float64]:
    import numpy as np

    from hil.stations.arm.plan.scenario import load_arm_plan
    from hil.stations.arm.run.bench import prepare_plan
    from hil.stations.arm.station import SCENARIO

    path, _ = find_kind(scenario, SCENARIO, key="--start-of")
    plan = load_arm_plan(path)
    if plan.robot != robot:
        raise ConfigError(
            "--start-of", [f"{scenario} is for {plan.robot.name}, whose file says other things "
                           f"than that of {robot.name} on the command line"]
        )  # fmt: skip
    with waiting("looking for the start of the motion"):
        return np.degrees(prepare_plan(plan).start.q_rad)


def _asks(opened: RobotSession, *, as_json: bool) -> Callable[[str], bool] | None:
    """Asks the operator yes or no, and obeys Ctrl-C while it waits; None if nobody can be asked."""
    if as_json or not sys.stdin.isatty():
        return None

    def confirmed(question: str) -> bool:
        err.print(f"{question} [y/N] ", end="", soft_wrap=True)
        while opened.stop_request.asked is None:
            if select.select([sys.stdin], [], [], 0.1)[0]:
                return sys.stdin.readline().strip().lower() in ("y", "yes")
        raise RefusedError("stopped by the operator before the robot moved; nothing was sent")

    return confirmed


def _show_move(move: ProvedMove, name: str) -> None:
    from hil.stations.arm.proof.findings import findings_table

    text = f": to {name}, {len(move.steps)} waypoints, {move.duration_s:.1f} s"
    out.print(styled("green", "proved"), text, sep="")
    out.print(findings_table(move.findings()))
