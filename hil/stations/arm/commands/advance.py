"""``hil arm advance``: a few ticks of the simulated space arm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from hil.config.errors import ConfigError
from hil.stations.arm.arm_summaries import AdvanceSummary, SnapshotSummary
from hil.stations.arm.commands.space_arms import (
    JOINT_NAMES,
    ArmArg,
    angles_of,
    joint_values,
    one_load_of,
    space_arm_of,
)
from hil.stations.arm.model_choice_summary import summarize_choice
from hil.terminal.console import Json, leave, out, print_json, verb

if TYPE_CHECKING:
    from sim.world.space_arm.model_choice import ModelChoice
    from sim.world.space_arm.snapshot import Active, Snapshot


@verb
def advance(
    arm: ArmArg,
    rates: Annotated[
        str,
        typer.Option("--rates", metavar=JOINT_NAMES, help="Commanded joint rates [deg/s; m/s]."),
    ],
    ticks: Annotated[int, typer.Option("--ticks", min=1, max=100_000, help="How many.")] = 10,
    joints: Annotated[
        str | None,
        typer.Option("--q", metavar=JOINT_NAMES, help="Start [deg; m]; home if left out."),
    ] = None,
    payload: Annotated[
        str,
        typer.Option(
            "--payload", metavar="none|NAME|KG", help="none, a name of the arm's file, or kg."
        ),
    ] = "none",
    model: Annotated[
        str,
        typer.Option(
            "--model",
            metavar="a|b|c|d|e|f|auto",
            help="Drive model: see hil arm table; auto: the cheapest within --bound of model e.",
        ),
    ] = "e",
    bound: Annotated[
        str | None,
        typer.Option(
            "--bound", metavar="%|MM", help="Error allowed with auto: 0.5% of the range, or 2mm."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Simulate a few ticks of 0.35 s with constant commanded joint rates."""
    from hil.stations.arm.commands.advanced_motion import AdvancedMotion, simulated_arm
    from sim.world.space_arm.integrators import SpanStatus

    settings = space_arm_of(arm)
    load, start = one_load_of(settings, payload), angles_of(settings, joints)
    command = joint_values(settings, rates, "--rates", "/s")
    try:
        simulated, choice = simulated_arm(
            AdvancedMotion(settings.arm(), load, start, command, ticks), model, bound
        )
        snapshots = [simulated.advance(command) for _ in range(ticks)]
    except ConfigError:
        raise
    except ValueError as error:
        raise ConfigError("command line", [str(error)]) from None
    ok = all(snapshot.status is not SpanStatus.FAILED for snapshot in snapshots)
    if as_json:
        summary = AdvanceSummary(ok=ok, ticks=[_snapshot(one) for one in snapshots])
        if choice is not None:
            summary["model_choice"] = summarize_choice(choice)
        print_json(summary)
    else:
        _show(snapshots, choice)
    leave(ok)


def _show(snapshots: list[Snapshot], choice: ModelChoice | None) -> None:
    import numpy as np
    from rich.table import Table

    if choice is not None:
        out.print(f"simulated by {choice}", soft_wrap=True)
    shown = Table("t s", "x m", "y m", "z m", "speed mm/s", "joints held back by", box=None)
    for snapshot in snapshots:
        speed = 1e3 * float(np.linalg.norm(snapshot.velocity_BG_m_s))
        place = (f"{value:.6f}" for value in snapshot.position_BG_m)
        shown.add_row(f"{snapshot.time_s:.2f}", *place, f"{speed:.3f}", _held(snapshot))
    out.print(shown)


def _held(snapshot: Snapshot) -> str:
    """List the joints that are held back, and by what."""
    held = [
        f"{joint + 1} {'+'.join(_names(active))}"
        for joint, active in enumerate(snapshot.active)
        if active
    ]
    return ", ".join(held)


def _snapshot(snapshot: Snapshot) -> SnapshotSummary:
    """Return a snapshot as a JSON object."""
    return {
        "time_s": snapshot.time_s,
        "q_rad": snapshot.q_rad,
        "v_rad_s": snapshot.v_rad_s,
        "motor_position_rad": snapshot.motor_position_rad,
        "motor_rate_rad_s": snapshot.motor_rate_rad_s,
        "position_m": snapshot.position_BG_m,
        "rotation": snapshot.rotation_BG,
        "velocity_m_s": snapshot.velocity_BG_m_s,
        "angular_velocity_rad_s": snapshot.angular_velocity_BG_rad_s,
        "torque_nm": snapshot.torque_nm,
        "current_a": snapshot.current_a,
        "voltage_v": snapshot.voltage_v,
        "active": [
            str(active.name).lower().split("|") if active else [] for active in snapshot.active
        ],
        "status": snapshot.status.name.lower(),
    }


def _names(active: Active) -> list[str]:
    """Name what holds a joint back, in lower case."""
    return [str(one.name).lower() for one in active]
