"""Options of the verbs that move the robot alone, their meaning, and the output of the result."""

import sys
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from hil.config.errors import ConfigError
from hil.machines.kinds import ROBOT
from hil.run.end import Ran
from hil.run.file_kinds import find_kind
from hil.stations.arm.arm_summaries import MoveSummary, NothingSummary
from hil.terminal.console import err, leave, numbers, out, print_json, styled

if TYPE_CHECKING:
    from hil.machines.robot.settings import RobotSettings
    from hil.stations.arm.cycle.stream import Streamed
    from hil.stations.arm.moves.session import Choice, RobotSession

SIX_JOINTS = "q1,…,q6"
"""Joints of a robot in options."""

LinkOption = Annotated[
    str,
    typer.Option(
        "--arm-link",
        metavar="URL",
        help="Where the robot is: `sim:` (an emulated one in this process, a dry run), "
        "serial:/dev/ttyS0?baud=9600, socket://host:port.",
    ),
]
AtJointsOption = Annotated[
    str | None,
    typer.Option(
        "--at-joints",
        metavar=SIX_JOINTS,
        help="What the robot's pendant shows now [deg]: it decides in which posture it stands. Of "
        "`sim:` where the emulated robot stands.",
    ),
]
AtJointsNeededOption = Annotated[
    str | None,
    typer.Option(
        "--at-joints",
        metavar=SIX_JOINTS,
        help="What the robot's pendant shows now [deg]. Needed for a robot on a line: its requests "
        "tell its place, and in which of eight postures it stands there none of them tells. Of "
        "`sim:` where the emulated robot stands.",
    ),
]
MoveClockOption = Annotated[
    str | None,
    typer.Option(
        "--clock", metavar="virtual|real", help="real for a robot on a line, virtual for `sim:`."
    ),
]
SpeedOption = Annotated[
    float,
    typer.Option(
        "--speed",
        min=0.1,
        help="Of the gripper at most [mm/s]; turn and joint rates keep the same share of theirs.",
    ),
]


def choice_of(
    robot: str, url: str, clock: str | None, arm_at: str | None, at_joints: str | None
) -> "Choice":
    """Choose the robot by the command line; raises ConfigError with the option that is wrong."""
    import numpy as np

    from hil.machines.robot.settings import RobotSettings
    from hil.stations.arm.moves.session import Choice
    from hil.stations.arm.proof.start import robot_at

    path, _ = find_kind(robot, ROBOT, key="ROBOT")
    if clock not in (None, "virtual", "real"):
        raise ConfigError("--clock", [f"{clock!r}: virtual or real is needed"])
    virtual = _is_virtual(url)
    chosen = clock or ("virtual" if virtual else "real")
    if not virtual and chosen != "real":
        raise ConfigError("--clock", ["a robot on a line needs the real clock: --clock real"])
    joints = None if at_joints is None else np.array(six(at_joints, "--at-joints"))
    settings = RobotSettings.load(path)
    return Choice(settings, url, chosen, robot_at(arm_at, settings), joints)


def need_joints(url: str, at_joints: str | None) -> None:
    """Require the joints of a robot on a line; raises ConfigError if nobody gave them."""
    from hil.machines.robot.offered_links import SIM_URL

    if at_joints is None and url != SIM_URL:
        raise ConfigError(
            "command line", ["--at-joints q1,…,q6 as the pendant shows them is needed: no place "
                             "tells in which posture the robot stands"]
        )  # fmt: skip


def _is_virtual(url: str) -> bool:
    """Return whether a link may be met in a dry run; raises ConfigError for one that is none."""
    from arm_driver.link_errors import ArmLinkError
    from hil.machines.robot.offered_links import link_kind

    try:
        return link_kind(url).virtual
    except ArmLinkError as error:
        raise ConfigError("--arm-link", [f"{url!r}: {error}"]) from None


def six(text: str, option: str) -> list[float]:
    """Read joint angles from an option [deg]."""
    return numbers(text, 6, option, f"{SIX_JOINTS} in degrees")


def part_of(robot: "RobotSettings", speed_mm_s: float) -> float:
    """Convert a speed to its share of the robot's limits; raises ConfigError if it is above."""
    most = 1e3 * robot.gripper_speed_max_m_s
    if speed_mm_s > most:
        raise ConfigError(
            "--speed", [f"{speed_mm_s:g} mm/s: {robot.name} goes at most {most:g} mm/s"]
        )
    return speed_mm_s / most


def say(text: str) -> None:
    """Print a line for the operator."""
    err.print(text, soft_wrap=True)


def say_keys(keys: tuple[str, ...], opened: "RobotSession", *, quiet: bool) -> None:
    """Print the keys, and what ends the move."""
    from hil.stations.arm.moves.session import LONGEST_S

    if quiet or opened.dry:
        return
    for line in keys:
        say(line)
    say(f"Ctrl-C ends the robot's stream at once; so do {LONGEST_S / 60.0:g} minutes")


def shown_at(opened: "RobotSession", as_json: bool) -> int | None:
    """Return the descriptor to show on what happens while it happens; None in a dry run."""
    if as_json or opened.dry:
        return None
    with suppress(OSError):
        return sys.stderr.fileno()
    return None


def show_nothing(opened: "RobotSession", why: str, *, as_json: bool) -> None:
    """Print that there was nothing to do, which is no error."""
    if as_json:
        robot = opened.choice.robot_line
        print_json(NothingSummary(ok=True, result=None, reason=why, robot=robot))
    else:
        out.print(styled("green", "nothing to do"), f": {why}", sep="")
    leave(True)


def show_result(choice: "Choice", found: "Streamed", *, as_json: bool) -> None:
    """Print how a move went, and exit with its status."""
    from hil.stations.arm.proof.findings import summarize_end
    from hil.terminal.run_end import show_and_leave

    summary = MoveSummary(
        **summarize_end(found, choice.robot_line), notes=[event.message for event in found.events]
    )
    line = f"robot: {choice.robot_line}, {found.end.waypoints} waypoints"
    ran = Ran(end=found.run_end, values=summary, show=partial(out.print, line))
    show_and_leave(ran, as_json=as_json)
