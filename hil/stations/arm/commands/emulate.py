"""``hil arm emulate``: the bench's robot on a line, without the robot."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from hil.config.errors import ConfigError, RefusedError
from hil.stations.arm.commands.alone import say
from hil.terminal.console import numbers, verb, waiting
from hil.terminal.options import AnyUser

if TYPE_CHECKING:
    from hil.config.settings import Change
    from sim.devices.arm.controller import ArmController
    from sim.devices.arm.faults import ArmFault
    from sim.devices.arm.settings import ArmControllerSettings
    from sim.world.plants.arm_plant import ArmPlant

WINDOW: Final = "1,1,1,3,3,3"
"""Window of each joint's following error [deg]."""


StartOption = Annotated[
    str | None,
    typer.Option("--start", metavar="q1,…,q6", help="Joint angles at the start [deg]."),
]
ForOption = Annotated[
    str | None,
    typer.Option(
        "--for",
        metavar="SCENARIO",
        help="Stand where this arm scenario begins, with its robot's tool.",
    ),
]
ScriptOption = Annotated[
    Path | None,
    typer.Option("--script", help="TOML file with a `[[fault]]` table for each fault."),
]
WorldOption = Annotated[
    str | None,
    typer.Option(
        "--world",
        metavar="SCENE",
        help="Scene in the physics engine in which it bears its weight and touches things: "
        "`table`, or a file. Left out: that of the scenario, if it has one.",
    ),
]
RideOption = Annotated[
    str | None,
    typer.Option(
        "--ride",
        metavar="RECORDING",
        help="In a world: of the platform's run on which the robot stands there, from now on.",
    ),
]
RobotOption = Annotated[
    str | None,
    typer.Option(
        "--robot", help="In a world: file of the robot that stands there; `rm01` if left out."
    ),
]
WindowOption = Annotated[
    str,
    typer.Option(
        "--window",
        metavar="W1,…,W6",
        help="In a world: how far a joint may be from its set-point, beside its usual lag "
        "[deg]; `off` for as far as it likes.",
    ),
]
OverloadOption = Annotated[
    float,
    typer.Option(
        "--overload",
        help="In a world: how long a motor may be at its largest torque [s]; `inf` for ever.",
    ),
]


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
    start: StartOption = None,
    scenario: ForOption = None,
    tool_mm: Annotated[
        float | None, typer.Option("--tool", help="Wrist centre to gripper [mm]; 100 if left out.")
    ] = None,
    feedback: Annotated[
        bool, typer.Option("--feedback/--no-feedback", help="Requests say where the gripper is.")
    ] = True,
    echo: Annotated[bool, typer.Option("--echo", help="Echo what is received.")] = False,
    script: ScriptOption = None,
    delay_s: Annotated[
        float, typer.Option("--delay", help="Takes up each waypoint so much later [s].")
    ] = 0.0,
    blend_s: Annotated[float, typer.Option("--blend", help="Its longest blend [s].")] = 0.2,
    bandwidth_rad_s: Annotated[
        float, typer.Option("--bandwidth", help="Of its servos [rad/s]; they lag by 2 / bandwidth.")
    ] = 120.0,
    world: WorldOption = None,
    ride: RideOption = None,
    robot: RobotOption = None,
    window: WindowOption = WINDOW,
    overload_s: OverloadOption = 0.5,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of noise and losses.")] = 0,
    end_with_input: Annotated[bool, typer.Option("--end-with-input", hidden=True)] = False,
) -> None:
    """Emulate the robot and its controller until Ctrl-C; the URL to use is the first line printed.

    Faults are typed into its console: help lists them.
    """
    place = _start_place(start, tool_mm, scenario, robot, _World(world, ride))
    settings = _settings(
        blend_s, bandwidth_rad_s, _window(window), overload_s, baud=baud, feedback=feedback,
        echo=echo, start_deg=place.joints_deg, tool_m=place.tool_m, delay_s=delay_s,
    )  # fmt: skip
    _serve(
        settings, port=port, pty=pty, any_user=any_user, script=_faults(script), seed=seed,
        end_with_console=end_with_input, plant=place.plant,
    )  # fmt: skip


def _settings(
    blend_s: float,
    bandwidth_rad_s: float,
    window_deg: tuple[float, ...],
    overload_s: float,
    **others: Any,
) -> ArmControllerSettings:
    from sim.devices.arm.path import BlendSettings
    from sim.devices.arm.plant_servos import EnvelopeSettings
    from sim.devices.arm.servo import ServoSettings
    from sim.devices.arm.settings import ArmControllerSettings

    try:
        return ArmControllerSettings(
            blends=BlendSettings(0.5 * blend_s),
            servos=ServoSettings(bandwidth_rad_s),
            envelope=EnvelopeSettings(window_deg, overload_s),
            **others,
        )
    except ValueError as error:
        raise ConfigError("command line", [str(error)]) from None


def _serve(settings: ArmControllerSettings, **how: Any) -> None:
    """Answer until Ctrl-C; faults are typed in at standard input."""
    from hil.timing.realtime import RealClock
    from hil.timing.stop import StopSignals
    from sim.devices.arm.server import run_arm_controller

    with StopSignals() as stop_request:
        try:
            run_arm_controller(
                settings, now_s=RealClock().now_s, ready=_say_ready,
                stop=lambda: stop_request.asked is not None, console=sys.stdin, say=say,
                watch=_Trips(), **how,
            )  # fmt: skip
        except ValueError as error:
            raise ConfigError("command line", [f"the robot cannot be like that: {error}"]) from None
        except OSError as error:
            raise RefusedError(f"the robot cannot be emulated: {error}") from None


class _Trips:
    """Prints at the console when joints have stopped by themselves."""

    def __init__(self) -> None:
        self._last_trip = ""

    def __call__(self, controller: ArmController, _now_s: float) -> None:
        trip = controller.motion.trip
        if trip and trip != self._last_trip:
            say(f"{trip}: the brakes fall; `start` lifts them")
        self._last_trip = trip


def _window(text: str) -> tuple[float, ...]:
    if text == "off":
        return (math.inf,) * 6
    return tuple(numbers(text, 6, "--window", "six angles in degrees, or off"))


@dataclass(frozen=True, slots=True)
class _World:
    """World of the emulated robot by the options."""

    scene: str | None
    ride: str | None

    @property
    def changes(self) -> list[Change]:
        """In a scenario that has others, or none."""
        given = {"world": self.scene, "ride": self.ride}
        found: list[Change] = [(key, one) for key, one in given.items() if one is not None]
        return [*found, ("devices.arm", "sim:")] if found else []


@dataclass(frozen=True, slots=True)
class _EmulatedPlace:
    """Posture of the emulated robot, and its world."""

    joints_deg: tuple[float, ...]
    tool_m: float
    plant: ArmPlant | None = None


def _start_place(
    start: str | None,
    tool_mm: float | None,
    scenario: str | None,
    robot: str | None,
    world: _World,
) -> _EmulatedPlace:
    from sim.devices.arm.settings import START_DEG

    if scenario is not None:
        if start is not None or tool_mm is not None:
            raise ConfigError("--for", ["says start and tool; leave --start and --tool out"])
        if robot is not None:
            raise ConfigError("--for", ["says the robot; leave --robot out"])
        return _start_place_for(scenario, world)
    tool_m = 1e-3 * (100.0 if tool_mm is None else tool_mm)
    joints = START_DEG
    if start is not None:
        joints = tuple(numbers(start, 6, "--start", "q1,…,q6 in degrees"))
    if not world.scene:
        for option, value in (("--robot", robot), ("--ride", world.ride)):
            if value is not None:
                raise ConfigError(option, ["is for a world: --world SCENE"])
        return _EmulatedPlace(joints, tool_m)
    return _EmulatedPlace(
        joints, tool_m, _plant(robot or "rm01", tool_m, world.scene, world.ride or "")
    )


def _plant(robot: str, tool_m: float, scene: str, ride: str) -> ArmPlant:
    from hil.machines.kinds import ROBOT
    from hil.machines.robot.settings import RobotSettings
    from hil.run.file_kinds import find_kind
    from hil.stations.arm.run.world import arm_plant, world_of

    settings = RobotSettings.load(find_kind(robot, ROBOT, key="--robot")[0])
    settings = settings.model_copy(update={"tool_m": tool_m})
    return arm_plant(settings, world_of(settings, scene, ride=ride, key="--world"))


def _start_place_for(scenario: str, world: _World) -> _EmulatedPlace:
    from hil.run.file_kinds import find_kind
    from hil.stations.arm.plan.scenario import load_arm_plan
    from hil.stations.arm.run.bench import prepare_plan
    from hil.stations.arm.run.world import plant_of
    from hil.stations.arm.station import SCENARIO

    path, _ = find_kind(scenario, SCENARIO, key="--for")
    with waiting("looking for the start of the motion"):
        prepared = prepare_plan(load_arm_plan(path, world.changes))
    joints = tuple(math.degrees(q) for q in prepared.start.q_rad)
    return _EmulatedPlace(joints, prepared.plan.robot.tool_m, plant_of(prepared.plan))


def _faults(script: Path | None) -> tuple[ArmFault, ...]:
    from sim.devices.arm.faults import parse_arm_script

    try:
        return parse_arm_script("" if script is None else script.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigError("--script", [f"{script}: cannot be read: {error.strerror}"]) from None
    except ValueError as error:
        raise ConfigError(str(script), [str(error)]) from None


def _say_ready(url: str) -> None:
    print(url, flush=True)
    say(f"an emulated robot; use it with --arm-link '{url}'. Faults: type help. Ctrl-C ends.")
