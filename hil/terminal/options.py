"""Arguments and options that several verbs share."""

from pathlib import Path
from typing import Annotated

import typer

from hil.terminal.completion import offered

ScenarioArg = Annotated[
    str | None,
    typer.Argument(
        metavar="SCENARIO",
        help="Scenario file, or the name of a shipped one (demo, bkm_on_rm01, platform_and_arm).",
        autocompletion=offered("scenarios"),
    ),
]
RigArg = Annotated[
    str,
    typer.Argument(
        metavar="RIG",
        help="Rig file, or the name of one that is shipped (paper).",
        autocompletion=offered("rigs"),
    ),
]
RobotArg = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT",
        help="Robot file, or the name of a shipped one (rm01).",
        autocompletion=offered("robots"),
    ),
]
ArmScenarioArg = Annotated[
    str,
    typer.Argument(
        metavar="SCENARIO",
        help="Scenario file of the arm station, or a shipped one (bkm_on_rm01).",
        autocompletion=offered("scenarios"),
    ),
]
AnyUser = Annotated[
    bool,
    typer.Option(
        "--any-user",
        help="Let all users of this machine connect to the port, not only you.",
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Change a key of the scenario (motion.duration_s=5, space_arm.model=b), or of a "
        "platform's rig (rig_settings.limits.speed_max_m_s=0.3). May be repeated.",
    ),
]
SeedOption = Annotated[
    int | None,
    typer.Option(
        "--seed",
        metavar="N",
        help="Seed in place of the scenario's; what the scenario draws ([draw]) is drawn by it.",
    ),
]
ClockOption = Annotated[
    str | None, typer.Option("--clock", metavar="virtual|real", help="Overrides the scenario's.")
]
ArmLinkOption = Annotated[
    str | None,
    typer.Option(
        "--arm-link",
        metavar="URL",
        help="Where the robot of an arm station is: `sim:`, serial:/dev/ttyS0?baud=9600, "
        "socket://host:port. A robot on a line takes the real clock.",
    ),
]
ArmAtOption = Annotated[
    str | None,
    typer.Option(
        "--arm-at",
        metavar="X,Y,Z,O,A,T",
        help="Where the robot's controller shows its gripper now [mm, deg], for a robot whose "
        "requests do not say so. What the robot says itself goes before it.",
    ),
]
FallbackOption = Annotated[
    str | None,
    typer.Option(
        "--fallback",
        metavar="refuse|sim",
        help="When drives or robot are not there: refuse, or go on with emulated ones, and say so.",
    ),
]
OutOption = Annotated[
    Path, typer.Option("--out", help="Folder that gets a new folder for this run.")
]
OperatorOption = Annotated[
    bool,
    typer.Option(
        "--operator",
        help="A person leads the run from panels: nothing moves without a press and a held "
        "dead-man. Takes the real clock, whatever the scenario says.",
    ),
]
ReportOption = Annotated[bool, typer.Option("--report", help="Make the report at the end as well.")]
