"""What sizing found, as JSON and as lines for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from hil.stations.platform.machine.property_words import LABELS, UNITS
from hil.stations.platform.proof.sizing_summaries import (
    BoxDemandSummary,
    CylinderFitSummary,
    MotionDemandSummary,
    NeededSummary,
    PropertyReserveSummary,
    SizingSummary,
)
from hil.stations.platform.proof.summaries import PoseSummary

if TYPE_CHECKING:
    from hil.stations.platform.machine.cylinder_choice import MotionRow, Sizing
    from hil.stations.platform.machine.cylinder_fit import CylinderFit, Needed
    from platform6dof.dynamics.machine import Machine
    from platform6dof.sizing.box_demand import BoxDemand


def summarize_sizing(
    found: Sizing, machine: Machine, *, mass_assumed: bool, life_h: float, written: list[str]
) -> SizingSummary:
    """Summary of a sizing."""
    return SizingSummary(
        ok=any(fit.fits for fit in found.fits),
        mass_kg=machine.load_kg,
        mass_assumed=mass_assumed,
        centre_m=(machine.load[1:4] / machine.load_kg).tolist(),
        life_h=life_h,
        legs_assumed=list(found.assumed),
        motions=[_motion(row) for row in found.motions],
        box=None if found.box is None else _box(found.box),
        needed=_needed(found.needed),
        cylinders=[_fit(one) for one in found.fits],
        written=written,
    )


def _motion(row: MotionRow) -> MotionDemandSummary:
    figures = row.figures
    return MotionDemandSummary(
        motion=row.found.name,
        duration_s=row.found.demand.duration_s,
        length_min_m=figures.shortest_m,
        length_max_m=figures.longest_m,
        speed_max_m_s=figures.speed_m_s,
        acceleration_max_m_s2=figures.acceleration_m_s2,
        force_peak_n=figures.peak_n,
        force_stop_n=row.stop_n,
        force_rms_n=figures.rms_n,
        force_cubic_mean_n=figures.cubic_mean_n,
        outside_share=row.found.outside_share,
        outside=row.found.outside,
    )


def _box(one: BoxDemand) -> BoxDemandSummary:
    return BoxDemandSummary(
        lower=_pose(one.box.lower),
        upper=_pose(one.box.upper),
        length_min_m=one.lengths.min_m,
        length_max_m=one.lengths.max_m,
        force_hold_n=one.hold_n,
        force_hold_pose=_pose(one.hold_pose),
    )


def _pose(coordinates: np.ndarray) -> PoseSummary:
    x, y, z, alpha, beta, gamma = [*coordinates[:3], *np.degrees(coordinates[3:])]
    return PoseSummary(
        x_m=float(x), y_m=float(y), z_m=float(z), alpha_deg=float(alpha), beta_deg=float(beta),
        gamma_deg=float(gamma),
    )  # fmt: skip


def _needed(needed: Needed) -> NeededSummary:
    figures = needed.figures
    return NeededSummary(
        length_min_m=figures.shortest_m,
        length_max_m=figures.longest_m,
        stroke_m=needed.stroke_m,
        speed_max_m_s=figures.speed_m_s,
        acceleration_max_m_s2=figures.acceleration_m_s2,
        force_peak_n=figures.peak_n,
        force_push_n=figures.push_n,
        force_stop_n=needed.stop_n,
        force_rms_n=figures.rms_n,
        force_cubic_mean_n=figures.cubic_mean_n,
        mean_speed_m_s=figures.mean_speed_m_s,
    )


def _fit(fit: CylinderFit) -> CylinderFitSummary:
    properties = {
        name: PropertyReserveSummary(needed=one.needed, offered=one.offered, margin=one.margin)
        for name, one in fit.comparisons.items()
    }
    candidate, motor = fit.candidate, fit.motor
    return CylinderFitSummary(
        name=candidate.listed.name,
        fits=fit.fits,
        margin=fit.margin,
        binding=fit.binding,
        checked=candidate.listed.checked,
        properties=properties,
        torque_peak_nm=motor.torque_peak_nm,
        torque_rms_nm=motor.torque_rms_nm,
        torque_hardest_nm=motor.torque_hardest_nm,
        shaft_power_max_w=motor.shaft_max_w,
        power_max_w=motor.power_max_w if candidate.has_windings else None,
        returned_mean_w=motor.returned_mean_w,
        returned_hardest_w=motor.returned_hardest_w,
        resistor_mean_w=motor.resistor_mean_w,
        resistor_hardest_w=motor.resistor_hardest_w,
        stop_beyond_m=None if fit.stop is None else fit.stop.beyond_m,
        stop_stroke_share=None if fit.stop is None else fit.stop.stroke_share,
        assumed=list(candidate.assumed),
        not_given=candidate.not_given,
        estimated=list(candidate.listed.cylinder.estimated),
    )


def load_line(summary: SizingSummary) -> str:
    """What moves, and what is assumed of it."""
    assumed = ", assumed: six shares of the rig's moving_mass_kg" if summary["mass_assumed"] else ""
    centre = ", ".join(f"{value:g}" for value in summary["centre_m"])
    legs = "tubes and rods of the rig's legs" if summary["legs_assumed"] else "legs without weight"
    return f"mass {summary['mass_kg']:g} kg{assumed}; centre {centre} m; {legs}"


DEMAND_HEADS = ("length m", "speed m/s", "acc. m/s²", "peak N", "stop N", "rms N", "cubic mean N")


def demand_rows(summary: SizingSummary) -> Iterator[tuple[str, ...]]:
    """Rows of the table of what is asked: motions, the box, all together."""
    for one in summary["motions"]:
        yield one["motion"], *_demand_row(one)
    box = summary["box"]
    if box is not None:
        hold = f"{box['force_hold_n']:.0f}"
        yield "box", _lengths(box), "", "", hold, "", hold, ""
    yield "all", *_demand_row(summary["needed"])


def _demand_row(one: Any) -> tuple[str, ...]:
    return (
        _lengths(one), f"{one['speed_max_m_s']:.3f}", f"{one['acceleration_max_m_s2']:.2f}",
        f"{one['force_peak_n']:.0f}", f"{one['force_stop_n']:.0f}", f"{one['force_rms_n']:.0f}",
        f"{one['force_cubic_mean_n']:.0f}",
    )  # fmt: skip


def _lengths(one: Any) -> str:
    return f"{one['length_min_m']:.3f} to {one['length_max_m']:.3f}"


def outside_lines(summary: SizingSummary) -> Iterator[str]:
    """Motions that the rig cannot reach."""
    for one in summary["motions"]:
        if one["outside"]:
            yield (
                f"{one['motion']}: this rig cannot reach it ({one['outside_share']:.1%} of it "
                f"beyond its limits, first {one['outside']}); it is sized all the same"
            )


FIT_HEADS = ("cylinder", "fits", "reserve", "by", "torque N m", "returned W")


def fit_row(fit: CylinderFitSummary, window_m: float) -> tuple[str, ...]:
    """Row of a cylinder: what it lacks, or what has the least reserve, torque and power."""
    short = [name for name, one in fit["properties"].items() if one["margin"] < 0.0]
    words = "; ".join(_words(name, fit, window_m) for name in short or [fit["binding"]])
    torque = f"{fit['torque_hardest_nm']:.1f} rms, {fit['torque_peak_nm']:.1f} peak"
    back = f"{fit['returned_mean_w']:.0f}, {fit['returned_hardest_w']:.0f}"
    fits = "yes" if fit["fits"] else "no"
    return fit["name"], fits, f"{fit['margin']:+.0%}", words, torque, back


def _words(name: str, fit: CylinderFitSummary, window_m: float) -> str:
    one, unit = fit["properties"][name], UNITS.get(name, "m")
    if name == "force_stop_n":
        return _stop_words(fit, window_m)
    sense = "at most " if name == "closed_length_m" else ""
    return f"{LABELS[name]} {one['offered']:.4g}, needed {sense}{one['needed']:.4g} {unit}"


def _stop_words(fit: CylinderFitSummary, window_m: float) -> str:
    beyond_m, share = fit["stop_beyond_m"] or 0.0, fit["stop_stroke_share"] or 0.0
    ended = "a quick stop comes to the end of the stroke"
    if share > 1.0 and beyond_m <= window_m:
        return ended
    beyond = f"a leg goes {1e3 * beyond_m:.3g} mm beyond a stop, {1e3 * window_m:g} allowed"
    return f"{beyond}; {ended}" if share > 1.0 else beyond


def note_lines(summary: SizingSummary) -> Iterator[str]:
    """What the figures of the cylinders are without, and how sure they are."""
    cylinders, alike = summary["cylinders"], dict[tuple[str, tuple[str, ...]], int]()
    for fit in cylinders:
        for what, keys in (
            ("not given by {} rows; figures are without them", fit["not_given"]),
            ("not given by {} rows; those of the rig's legs are assumed", fit["assumed"]),
            ("estimated in {} rows", fit["estimated"]),
        ):
            if keys:
                alike[what, tuple(keys)] = alike.get((what, tuple(keys)), 0) + 1
    for (what, keys), count in alike.items():
        yield f"{', '.join(keys)}: {what.format(f'{count} of {len(cylinders)}')}"
    if any(fit["stop_beyond_m"] is None for fit in summary["cylinders"]):
        yield "stops are not judged: nothing that moves has moments; give --moments"
    unchecked = sum(not fit["checked"] for fit in summary["cylinders"])
    if unchecked:
        many = f"{unchecked} of {len(cylinders)}"
        yield f"approximate figures in {many} rows: check them against the makers' sheets"
