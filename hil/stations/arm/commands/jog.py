"""``hil arm jog``: the robot moves alone, by keys."""

import math
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from hil.config.errors import ConfigError
from hil.config.inputs import collected
from hil.stations.arm.commands.alone import (
    AtJointsNeededOption,
    LinkOption,
    SpeedOption,
    choice_of,
    need_joints,
    part_of,
    say,
    say_keys,
    show_result,
    shown_at,
)
from hil.terminal.console import Json, verb
from hil.terminal.options import ArmAtOption, OutOption, RobotArg


@verb
@collected()
def jog(
    robot: RobotArg,
    axes: Annotated[
        str,
        typer.Option(
            "--axes",
            metavar="joint|base|tool",
            help="What the keys move: joints, or the gripper along and about axes of base or tool.",
        ),
    ] = "base",
    step: Annotated[
        float | None,
        typer.Option(
            "--step",
            metavar="SIZE",
            help="One press is one step of so many mm, or degrees for turns and joints; left out, "
            "it moves while a key is held.",
        ),
    ] = None,
    arm_link: LinkOption = "sim:",
    speed_mm_s: SpeedOption = 20.0,
    at_joints: AtJointsNeededOption = None,
    arm_at: ArmAtOption = None,
    folder: OutOption = Path("runs"),
    as_json: Json = False,
) -> None:
    """Move the robot alone by keys, in real time; let go, it rests.

    Towards a limit it rests before it, and says which. `sim:` is an emulated robot in this
    process, to practise on.
    """
    import numpy as np

    from hil.stations.arm.moves.approach import joints_said
    from hil.stations.arm.moves.hands import jog_hand, jog_help
    from hil.stations.arm.moves.jog import run_jog
    from hil.stations.arm.moves.paths import Axes
    from hil.stations.arm.moves.session import session

    if axes not in [one.value for one in Axes]:
        raise ConfigError("--axes", [f"{axes!r}: joint, base or tool is needed"])
    size = _step(step)
    choice = choice_of(robot, arm_link, "real", arm_at, at_joints)
    need_joints(arm_link, at_joints)
    part = part_of(choice.robot, speed_mm_s)
    with session(choice, say) as opened:
        start = joints_said(choice.robot, opened.place, np.array(choice.emulated_deg))
        with closing(jog_hand(opened.clock, stepping=size is not None)) as hand:
            say_keys(jog_help(axes, step), opened, quiet=as_json)
            found = run_jog(
                opened, start, hand, Axes(axes), part, folder, step=size,
                shown_at=shown_at(opened, as_json),
            )  # fmt: skip
    show_result(choice, found, as_json=as_json)


def _step(size: float | None) -> tuple[float, float] | None:
    from hil.stations.arm.moves.jog import STEP_MOST

    if size is None:
        return None
    if not 0.0 < size <= STEP_MOST:
        raise ConfigError("--step", [f"{size:g}: above 0, at most {STEP_MOST:g} mm or deg"])
    return 1e-3 * size, math.radians(size)
