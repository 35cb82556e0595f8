"""``hil arm id --motion``: the torques that a whole motion of the space arm needs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hil.config.errors import ConfigError
from hil.stations.arm.commands.pose import beyond_ranges
from hil.stations.arm.commands.space_arms import Load, beyond_torque, one_load_of
from hil.stations.arm.commands.torque_summaries import ArmMotionTorquesSummary, JointDemandSummary
from hil.terminal.console import leave, out, print_json, waiting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hil.machines.space_arm.settings import ArmSettings
    from sim.world.space_arm.inverse_dynamics import InverseDynamics
    from sim.world.space_arm.motion_torques import CommandedMotion, MotionTorques

    Array = NDArray[np.float64]


def show_demand(
    settings: ArmSettings,
    name: str,
    payload: str | None,
    wrench: Array,
    folder: Path | None,
    *,
    as_json: bool,
) -> None:
    """Compute the torques of a motion, show them, and end with the verb's status."""
    from sim.world.space_arm.inverse_dynamics import InverseDynamics
    from sim.world.space_arm.motion_torques import motion_torques

    with waiting("playing the motion out", quiet=as_json):
        motion, own = _slow_motion(settings, name) or _scenario(settings, name)
    load = one_load_of(settings, payload or own)
    dynamics = InverseDynamics(settings.arm(), load.body)
    with waiting("computing its torques", quiet=as_json):
        found = motion_torques(dynamics, motion, wrench)
    summary = _summary(settings, name, load, dynamics, motion, found)
    if folder is not None:
        summary["written"] = _pictures(settings, name, dynamics, found, folder)
    if as_json:
        print_json(summary)
    else:
        _show(summary)
    leave(summary["ok"])


def _slow_motion(settings: ArmSettings, name: str) -> tuple[CommandedMotion, str] | None:
    """Return a slow motion of the arm's study; None if there is none of the name."""
    try:
        from hil_arm_study.motions import motions
    except ImportError:
        return None
    from sim.world.space_arm.motion_torques import CommandedMotion

    try:
        slow = motions(settings.arm(), settings.home_rad())
    except ValueError:
        return None  # no start in this arm's ranges; a scenario has its own
    for one in slow:
        if one.name == name:
            return CommandedMotion(one.q_start_rad, one.commands_rad_s), "none"
    return None


def _scenario(settings: ArmSettings, name: str) -> tuple[CommandedMotion, str]:
    """Return the motion of a planned scenario of this arm, and the name of its payload."""
    from hil.run.file_kinds import find_kind
    from hil.stations.arm.plan.scenario import load_arm_plan
    from hil.stations.arm.proof.commanded_motion import commanded_motion
    from hil.stations.arm.run.bench import source_of
    from hil.stations.arm.station import SCENARIO
    from hil.timing.clock import VirtualClock

    path, _ = find_kind(name, SCENARIO, key="--motion")
    plan = load_arm_plan(path)
    if plan.space_arm != settings:
        raise ConfigError(
            "--motion",
            [f"{name} is for {plan.space_arm.name}, whose file says other things than ARM's"],
        )
    if not plan.scenario.source.planned:
        raise ConfigError(
            "--motion", [f"{name}: source.kind = {plan.scenario.source.kind!r} has no plan"]
        )
    motion = commanded_motion(plan, source_of(plan, VirtualClock()))
    return motion, plan.scenario.space_arm.payload or "none"


def _summary(
    settings: ArmSettings,
    name: str,
    load: Load,
    dynamics: InverseDynamics,
    motion: CommandedMotion,
    found: MotionTorques,
) -> ArmMotionTorquesSummary:
    import numpy as np

    from sim.world.space_arm.motion_torques import root_mean_square

    terms, motor, limits = found.terms_nm(), found.motor_nm, dynamics.limits_nm
    largest, rms = np.abs(terms).max(axis=0), root_mean_square(terms)
    motor_rms = root_mean_square(motor)
    worst = np.abs(motor).argmax(axis=0)
    names = [link.name for link in dynamics.arm.links]
    violations = [
        *dict.fromkeys(
            [*beyond_ranges(dynamics.arm, found.q_rad.min(axis=0)),
             *beyond_ranges(dynamics.arm, found.q_rad.max(axis=0))]
        ),
        *beyond_torque(names, motor[worst, np.arange(len(names))], limits),
    ]  # fmt: skip
    joints = [
        JointDemandSummary(
            joint=joint,
            motor_min_nm=float(motor[:, j].min()),
            motor_max_nm=float(motor[:, j].max()),
            motor_rms_nm=float(motor_rms[j]),
            at_s=float(found.t_s[worst[j]]),
            limit_nm=float(limits[j]),
            terms_largest_nm=_by_name(largest[:, j]),
            terms_rms_nm=_by_name(rms[:, j]),
        )
        for j, joint in enumerate(names)
    ]
    return ArmMotionTorquesSummary(
        ok=not violations,
        arm=settings.name,
        payload_kg=load.mass_kg,
        motion=name,
        duration_s=motion.duration_s,
        joints=joints,
        violations=violations,
        written=[],
    )


def _by_name(values: Array) -> dict[str, float]:
    from sim.world.space_arm.inverse_dynamics import TERMS

    return dict(zip(TERMS, values.tolist(), strict=True))


def _show(summary: ArmMotionTorquesSummary) -> None:
    from rich.table import Table

    out.print(
        f"{summary['motion']}: {summary['duration_s']:.2f} s, payload {summary['payload_kg']:g} kg"
    )
    joints = summary["joints"]
    terms = [
        name for name in joints[0]["terms_largest_nm"]
        if any(one["terms_largest_nm"][name] for one in joints)
    ]  # fmt: skip
    table = Table("N m", "min", "max", "at s", "rms", "limit", *terms, box=None)
    for column in table.columns[1:]:
        column.justify = "right"
    for one in joints:
        table.add_row(
            one["joint"],
            f"{one['motor_min_nm']:.2f}",
            f"{one['motor_max_nm']:.2f}",
            f"{one['at_s']:.2f}",
            f"{one['motor_rms_nm']:.2f}",
            f"{one['limit_nm']:.0f}",
            *(f"{one['terms_largest_nm'][name]:.2f}" for name in terms),
        )
    out.print(table)
    out.print("min, max, rms: motor, on the joint's side; of each term its largest amount")
    for violation in summary["violations"]:
        out.print(violation, style="red")
    for path in summary["written"]:
        out.print(path, soft_wrap=True)


def _pictures(
    settings: ArmSettings,
    name: str,
    dynamics: InverseDynamics,
    found: MotionTorques,
    folder: Path,
) -> list[str]:
    from hil.config.files import make_folder, write_whole
    from hil.stations.arm.report.torque_figure import torque_png

    joints = dict(
        zip([link.name for link in dynamics.arm.links], dynamics.limits_nm.tolist(), strict=True)
    )
    png = torque_png(found, joints, f"{settings.name}, {Path(name).stem}")
    path = folder / "torques.png"
    try:
        make_folder(folder, Path())
        write_whole(path, png)
    except OSError as error:
        raise ConfigError("--pictures", [f"{path}: {error.strerror}"]) from None
    return [str(path)]
