"""``hil arm emulate``: the bench's robot on a line, without the robot."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hil.config.errors import ConfigError, RefusedError
from hil.stations.arm.commands.alone import say
from hil.terminal.console import numbers, verb, waiting
from hil.terminal.options import AnyUser

if TYPE_CHECKING:
    from sim.devices.arm_faults import ArmFault
    from sim.devices.arm_settings import ArmControllerSettings


@verb
def emulate(
    pty: Annotated[
        bool, typer.Option("--pty", help="A pseudo-terminal instead of a TCP port.")
    ] = False,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="TCP port; 0 for any free one.")
    ] = 0,
    any_user: AnyUser = False,
    baud: Annotated[int, typer.Option("--baud", help="Speed that bytes are paced by.")] = 9600,
    start: Annotated[
        str | None,
        typer.Option("--start", metavar="q1,…,q6", help="Joint angles at the start [deg]."),
    ] = None,
    scenario: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="SCENARIO",
            help="Stand where this arm scenario begins, with its robot's tool.",
        ),
    ] = None,
    tool_mm: Annotated[
        float | None, typer.Option("--tool", help="Wrist centre to gripper [mm]; 100 if left out.")
    ] = None,
    feedback: Annotated[
        bool, typer.Option("--feedback/--no-feedback", help="Requests say where the gripper is.")
    ] = True,
    echo: Annotated[bool, typer.Option("--echo", help="Echo what is received.")] = False,
    script: Annotated[
        Path | None,
        typer.Option("--script", help="TOML file with a `[[fault]]` table for each fault."),
    ] = None,
    delay_s: Annotated[
        float, typer.Option("--delay", help="Takes up each waypoint so much later [s].")
    ] = 0.0,
    blend_s: Annotated[float, typer.Option("--blend", help="Its longest blend [s].")] = 0.2,
    bandwidth_rad_s: Annotated[
        float, typer.Option("--bandwidth", help="Of its servos [rad/s]; they lag by 2 / bandwidth.")
    ] = 120.0,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of noise and losses.")] = 0,
    end_with_input: Annotated[bool, typer.Option("--end-with-input", hidden=True)] = False,
) -> None:
    """Emulate the robot and its controller until Ctrl-C; the URL to use is the first line printed.

    Faults are typed into its console: help lists them.
    """
    joints, tool_m = _stand(start, tool_mm, scenario)
    settings = _settings(
        blend_s, bandwidth_rad_s, baud=baud, feedback=feedback, echo=echo, start_deg=joints,
        tool_m=tool_m, delay_s=delay_s,
    )  # fmt: skip
    _serve(
        settings, port=port, pty=pty, any_user=any_user, script=_faults(script), seed=seed,
        end_with_console=end_with_input,
    )  # fmt: skip


def _settings(blend_s: float, bandwidth_rad_s: float, **others: Any) -> ArmControllerSettings:
    from sim.devices.arm_path import BlendSettings
    from sim.devices.arm_servo import ServoSettings
    from sim.devices.arm_settings import ArmControllerSettings

    try:
        blends, servos = BlendSettings(0.5 * blend_s), ServoSettings(bandwidth_rad_s)
        return ArmControllerSettings(blends=blends, servos=servos, **others)
    except ValueError as error:
        raise ConfigError("command line", [str(error)]) from None


def _serve(settings: ArmControllerSettings, **how: Any) -> None:
    """Answer until Ctrl-C; faults are typed in at standard input."""
    from hil.timing.realtime import RealClock
    from hil.timing.stop import StopSignals
    from sim.devices.arm_server import run_arm_controller

    with StopSignals() as wish:
        try:
            run_arm_controller(
                settings, now_s=RealClock().now_s, ready=_say_ready,
                stop=lambda: wish.asked is not None, console=sys.stdin, say=say, **how,
            )  # fmt: skip
        except ValueError as error:
            raise ConfigError("command line", [f"the robot cannot be like that: {error}"]) from None
        except OSError as error:
            raise RefusedError(f"the robot cannot be emulated: {error}") from None


def _stand(
    start: str | None, tool_mm: float | None, scenario: str | None
) -> tuple[tuple[float, ...], float]:
    from sim.devices.arm_settings import START_DEG

    if scenario is not None:
        if start is not None or tool_mm is not None:
            raise ConfigError("--for", ["says start and tool; leave --start and --tool out"])
        return _stand_for(scenario)
    tool_m = 1e-3 * (100.0 if tool_mm is None else tool_mm)
    if start is None:
        return START_DEG, tool_m
    return tuple(numbers(start, 6, "--start", "q1,…,q6 in degrees")), tool_m


def _stand_for(scenario: str) -> tuple[tuple[float, ...], float]:
    from hil.run.file_kinds import find_kind
    from hil.stations.arm.bench import prepare_plan
    from hil.stations.arm.scenario import load_arm_plan
    from hil.stations.arm.station import SCENARIO

    path, _ = find_kind(scenario, SCENARIO, key="--for")
    with waiting("looking for the start of the motion"):
        prepared = prepare_plan(load_arm_plan(path))
    return tuple(math.degrees(q) for q in prepared.start.q_rad), prepared.plan.robot.tool_m


def _faults(script: Path | None) -> tuple[ArmFault, ...]:
    from sim.devices.arm_faults import parse_arm_script

    try:
        return parse_arm_script("" if script is None else script.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError("--script", [f"{script}: cannot be read: {error.strerror}"]) from None
    except ValueError as error:
        raise ConfigError(str(script), [str(error)]) from None


def _say_ready(url: str) -> None:
    print(url, flush=True)
    say(f"an emulated robot; use it with --arm-link '{url}'. Faults: type help. Ctrl-C ends.")
