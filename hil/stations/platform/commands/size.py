"""``hil platform size``: what cylinders must do for motions, and which of a catalogue can."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hil.config.errors import ConfigError
from hil.stations.platform.commands.rig_model import PicturesOption, RigModel, write_pictures
from hil.stations.platform.proof.sizing_summaries import (
    CylinderFitSummary,
    MotionDemandSummary,
    NeededSummary,
    PropertyReserveSummary,
    SizingSummary,
)
from hil.terminal.console import Json, leave, numbers, out, print_json, verb, waiting
from hil.terminal.options import RigArg

if TYPE_CHECKING:
    from hil.stations.platform.machine.cylinder_demands import MotionDemand
    from hil.stations.platform.machine.cylinder_fit import CylinderFit, Needed
    from platform6dof.dynamics.machine import Machine

MASS_MAX_KG = 1e5
LABELS = {
    "stroke_m": "stroke", "closed_length_m": "closed length", "speed_m_s": "speed",
    "force_peak_n": "peak force", "force_rms_n": "rms force", "buckling_n": "buckling",
    "screw_speed_rpm": "screw's critical speed", "life_m": "life",
}  # fmt: skip
"""Words for the properties of a cylinder."""
UNITS = {
    "speed_m_s": "m/s", "force_peak_n": "N", "force_rms_n": "N", "buckling_n": "N",
    "screw_speed_rpm": "1/min",
}  # fmt: skip
"""Units of those that are no lengths."""


@verb
def size(
    rig: RigArg,
    motions: Annotated[
        str,
        typer.Option(
            "--for",
            metavar="S1,S2,ride.csv",
            help="Motions: scenarios of the platform, CSV or AT2 files, comma-separated.",
        ),
    ],
    mass: Annotated[
        float | None,
        typer.Option(
            "--mass",
            metavar="KG",
            help="Mass of all that moves; else the rig's bodies, or its legs' shares together.",
        ),
    ] = None,
    centre: Annotated[
        str, typer.Option("--centre", metavar="x,y,z", help="Its centre, platform axes [m].")
    ] = "0,0,0",
    moments: Annotated[
        str,
        typer.Option("--moments", metavar="xx,yy,zz", help="Its moments about there [kg m²]."),
    ] = "0,0,0",
    catalogue: Annotated[
        list[Path] | None,
        typer.Option("--catalogue", metavar="FILE", help="Catalogue; the shipped ones else."),
    ] = None,
    life: Annotated[
        float,
        typer.Option(
            "--life", min=0.0, max=1e6, metavar="HOURS", help="Hours of the motions to last."
        ),
    ] = 5000.0,
    pictures: PicturesOption = None,
    as_json: Json = False,
) -> None:
    """Stroke, speed and force that motions ask, and the cylinders that can do it."""
    from hil.machines.rig.cylinders import load_catalogue
    from hil.stations.platform.machine.cylinder_demands import demand_of, motions_for
    from hil.stations.platform.machine.cylinder_fit import Needed, fit_of

    names = [name.strip() for name in motions.split(",") if name.strip()]
    if not names:
        raise ConfigError("--for", [f"{motions!r}: at least one scenario or file is needed"])
    listed = load_catalogue(catalogue)
    model = RigModel(rig)
    machine = _machine(model, mass, centre, moments)
    with waiting("computing the motions and their forces", quiet=as_json):
        found = [demand_of(*one, machine) for one in motions_for(names, rig)]
        demands = [one.demand for one in found]
        needed = Needed.of(demands, model.rig.limits.soft_margin_m)
        fits = [fit_of(one, needed, demands, life) for one in listed]
    fits.sort(key=lambda fit: (not fit.fits, fit.margin if fit.fits else -fit.margin))
    written = _drawn(pictures, found, needed, fits)
    assumed = mass is None and not model.rig.body
    summary = _summary(machine, assumed, life, found, needed, fits, written)
    if as_json:
        print_json(summary)
    else:
        _show(summary)
    leave(summary["ok"])


def _drawn(
    folder: Path | None, found: list[MotionDemand], needed: Needed, fits: list[CylinderFit]
) -> list[Path]:
    if folder is None:
        return []
    from hil.stations.platform.report.sizing_figures import sizing_figures

    return write_pictures(folder, sizing_figures(found, needed, fits))


def _summary(
    machine: Machine,
    assumed: bool,
    life_h: float,
    found: list[MotionDemand],
    needed: Needed,
    fits: list[CylinderFit],
    written: list[Path],
) -> SizingSummary:
    return SizingSummary(
        ok=any(fit.fits for fit in fits),
        mass_kg=machine.load_kg,
        mass_assumed=assumed,
        centre_m=(machine.load[1:4] / machine.load_kg).tolist(),
        life_h=life_h,
        motions=[_motion(one) for one in found],
        needed=_needed(needed),
        cylinders=[_fit(one) for one in fits],
        written=[str(path) for path in written],
    )


def _machine(model: RigModel, mass: float | None, centre: str, moments: str) -> Machine:
    """Machine that moves: the rig's own bodies, or one body that was given or assumed."""
    import numpy as np

    from hil.machines.rig.masses import machine_in
    from platform6dof.dynamics.machine import BodyError, Machine, PlatformBody

    place = numbers(centre, 3, "--centre", "x,y,z")
    tensor = np.diag(numbers(moments, 3, "--moments", "xx,yy,zz"))
    if max(map(abs, place)) > 20.0:
        raise ConfigError("--centre", [f"{centre}: further than 20 m; positions are in metres"])
    own = machine_in(model.rig, model.geometry)
    if mass is None and own is not None:
        return own
    kg = float(sum(model.rig.cylinders.moving_mass_kg)) if mass is None else mass
    if not 0.0 < kg <= MASS_MAX_KG:
        raise ConfigError("--mass", [f"{kg:g} kg: must be above 0 kg, at most {MASS_MAX_KG:g} kg"])
    try:
        return Machine(model.geometry, (PlatformBody("load", kg, np.array(place), tensor),))
    except BodyError as error:
        raise ConfigError("--moments", [str(error)]) from None


def _motion(found: MotionDemand) -> MotionDemandSummary:
    import numpy as np

    one = found.demand
    return MotionDemandSummary(
        motion=found.name,
        duration_s=one.duration_s,
        length_min_m=float(one.length_m.min()),
        length_max_m=float(one.length_m.max()),
        speed_max_m_s=one.speed_max_m_s,
        acceleration_max_m_s2=float(np.abs(one.acceleration_m_s2).max()),
        force_peak_n=one.peak_n,
        force_rms_n=one.rms_n,
        force_cubic_mean_n=one.cubic_mean_n,
        outside_share=found.outside_share,
        outside=found.outside,
    )


def _needed(needed: Needed) -> NeededSummary:
    return NeededSummary(
        length_min_m=needed.shortest_m,
        length_max_m=needed.longest_m,
        stroke_m=needed.stroke_m,
        speed_max_m_s=needed.speed_m_s,
        acceleration_max_m_s2=needed.acceleration_m_s2,
        force_peak_n=needed.peak_n,
        force_push_n=needed.push_n,
        force_rms_n=needed.rms_n,
        force_cubic_mean_n=needed.cubic_mean_n,
        mean_speed_m_s=needed.mean_speed_m_s,
    )


def _fit(fit: CylinderFit) -> CylinderFitSummary:
    properties = {
        name: PropertyReserveSummary(needed=one.needed, offered=one.offered, margin=one.margin)
        for name, one in fit.comparisons.items()
    }
    return CylinderFitSummary(
        name=fit.listed.name,
        fits=fit.fits,
        margin=fit.margin,
        binding=fit.binding,
        checked=fit.listed.checked,
        properties=properties,
        torque_peak_nm=fit.torque_peak_nm,
        torque_rms_nm=fit.torque_rms_nm,
        returned_mean_w=fit.returned_mean_w,
        returned_hardest_w=fit.returned_hardest_w,
    )


def _show(summary: SizingSummary) -> None:
    from rich.table import Table

    assumed = ", assumed: six shares of the rig's moving_mass_kg" if summary["mass_assumed"] else ""
    centre = ", ".join(f"{value:g}" for value in summary["centre_m"])
    out.print(f"mass {summary['mass_kg']:g} kg{assumed}; centre {centre} m; legs without weight")
    heads = ("length m", "speed m/s", "acc. m/s²", "peak N", "rms N", "cubic mean N")
    table = Table("motion", *heads, box=None, pad_edge=False)
    for one in summary["motions"]:
        table.add_row(one["motion"], *_row(one))
    table.add_row("all", *_row(summary["needed"]))
    out.print(table)
    for one in summary["motions"]:
        if one["outside"]:
            out.print(
                f"{one['motion']}: this rig cannot reach it ({one['outside_share']:.1%} of it "
                f"beyond its limits, first {one['outside']}); it is sized all the same",
                soft_wrap=True,
            )
    needed = summary["needed"]
    out.print(f"needed stroke, with margins: {needed['stroke_m']:.3f} m\n")
    table = Table("cylinder", "fits", "reserve", "by", "torque N m", box=None, pad_edge=False)
    for fit in summary["cylinders"]:
        table.add_row(*_line(fit))
    out.print(table)
    if not all(fit["checked"] for fit in summary["cylinders"]):
        out.print("figures of the catalogue are approximate: check them against the makers' sheets")
    for path in summary["written"]:
        out.print(path, soft_wrap=True)


def _row(one: Any) -> tuple[str, ...]:
    return (
        f"{one['length_min_m']:.3f} to {one['length_max_m']:.3f}", f"{one['speed_max_m_s']:.3f}",
        f"{one['acceleration_max_m_s2']:.2f}", f"{one['force_peak_n']:.0f}",
        f"{one['force_rms_n']:.0f}", f"{one['force_cubic_mean_n']:.0f}",
    )  # fmt: skip


def _line(fit: CylinderFitSummary) -> tuple[str, ...]:
    short = [name for name, one in fit["properties"].items() if one["margin"] < 0.0]
    words = "; ".join(_words(name, fit["properties"][name]) for name in short or [fit["binding"]])
    torque = f"{fit['torque_rms_nm']:.1f} rms, {fit['torque_peak_nm']:.1f} peak"
    return fit["name"], "yes" if fit["fits"] else "no", f"{fit['margin']:+.0%}", words, torque


def _words(name: str, one: PropertyReserveSummary) -> str:
    unit = UNITS.get(name, "m")
    sense = "at most " if name == "closed_length_m" else ""
    return f"{LABELS[name]} {one['offered']:.4g}, needed {sense}{one['needed']:.4g} {unit}"
