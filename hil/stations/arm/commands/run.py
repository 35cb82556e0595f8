"""``hil arm run`` and ``hil arm check``: the verbs of the bench, for scenarios of the arm only."""

from pathlib import Path

from hil.config.file_kinds import FileKind, find_kind
from hil.stations.arm.command_line import arm_plan_of, robot_at
from hil.terminal.console import Json, leave, verb
from hil.terminal.options import (
    ArmAtOption,
    ArmLinkOption,
    ArmScenarioArg,
    ClockOption,
    FallbackOption,
    OutOption,
    ReportOption,
    SetOption,
)


@verb
def run(
    scenario: ArmScenarioArg,
    clock: ClockOption = None,
    arm_link: ArmLinkOption = None,
    arm_at: ArmAtOption = None,
    fallback: FallbackOption = None,
    folder: OutOption = Path("runs"),
    overrides: SetOption = None,
    report_too: ReportOption = False,
    as_json: Json = False,
) -> None:
    """Run a scenario of the arm station, recorded from the first waypoint on.

    The motion is proved first. Ctrl-C or SIGTERM ends the robot's stream at once, at rest.
    """
    from hil.stations.arm.runner import run_arm_and_show

    path, _ = find_kind(scenario, FileKind.ARM_SCENARIO, key="SCENARIO")
    plan = arm_plan_of(path, clock=clock, arm_link=arm_link, fallback=fallback, overrides=overrides)
    at = robot_at(arm_at)
    leave(run_arm_and_show(plan, folder, report_too=report_too, as_json=as_json, robot_at=at))


@verb
def check(scenario: ArmScenarioArg, overrides: SetOption = None, as_json: Json = False) -> None:
    """Prove a planned motion of both arms, and print where the robot has to stand.

    A live motion (keyboard, gamepad, remote) has no plan: only its start is checked.
    """
    from hil.stations.arm.runner import check_arm_and_show

    path, _ = find_kind(scenario, FileKind.ARM_SCENARIO, key="SCENARIO")
    leave(check_arm_and_show(arm_plan_of(path, overrides=overrides), as_json=as_json))
