"""``hil platform size``: what cylinders must do for motions, and which of a catalogue can."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hil.config.errors import ConfigError
from hil.stations.platform.commands.pose_boxes import BoxOption, box_of
from hil.stations.platform.commands.rig_model import PicturesOption, RigModel, write_pictures
from hil.terminal.console import Json, leave, numbers, out, print_json, verb, waiting
from hil.terminal.options import RigArg

if TYPE_CHECKING:
    from hil.stations.platform.machine.cylinder_choice import Sizing
    from hil.stations.platform.proof.sizing_summaries import SizingSummary
    from platform6dof.dynamics.machine import Machine
    from platform6dof.workspace import PoseBox

MASS_MAX_KG = 1e5


@verb
def size(
    rig: RigArg,
    motions: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="S1,S2,ride.csv",
            help="Motions: scenarios of the platform, CSV or AT2 files, comma-separated.",
        ),
    ] = None,
    box: BoxOption = None,
    scale: Annotated[
        float | None,
        typer.Option(
            "--scale",
            min=0.0,
            max=100.0,
            help="Scale of the box about its centre; without --box the rig's pose box joins.",
        ),
    ] = None,
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
    from hil.stations.platform.machine.cylinder_choice import SizingRequest, size_cylinders
    from hil.stations.platform.machine.cylinder_demands import motions_for, track_of
    from hil.stations.platform.proof.sizing_report import summarize_sizing

    names = _names(motions, boxed=box is not None or scale is not None)
    listed = load_catalogue(catalogue)
    model = RigModel(rig)
    machine = _machine(model, mass, centre, moments)
    poses = _scaled(model, box, scale)
    with waiting("computing the motions and their forces", quiet=as_json):
        tracks = [track_of(*one) for one in motions_for(names, rig)]
        found = size_cylinders(SizingRequest(model.rig, machine, tracks, poses, listed, life))
    summary = summarize_sizing(
        found,
        machine,
        mass_assumed=mass is None and not model.rig.body,
        life_h=life,
        written=_drawn(pictures, found),
    )
    if as_json:
        print_json(summary)
    else:
        _show(summary, model.rig.supervision.following_base_m)
    leave(summary["ok"])


def _names(motions: str | None, *, boxed: bool) -> list[str]:
    names = [name.strip() for name in (motions or "").split(",") if name.strip()]
    if not names and (motions is not None or not boxed):
        given = "" if motions is None else f"{motions!r}: "
        raise ConfigError(
            "--for",
            [f"{given}at least one scenario or file is needed, or a box alone (--box, --scale 1)"],
        )
    return names


def _scaled(model: RigModel, box: str | None, scale: float | None) -> PoseBox | None:
    from platform6dof.workspace.pose_proof import scaled_box

    if box is None and scale is None:
        return None
    return scaled_box(box_of(model.rig, box), 1.0 if scale is None else scale)


def _drawn(folder: Path | None, found: Sizing) -> list[str]:
    if folder is None:
        return []
    from hil.stations.platform.report.sizing_figures import sizing_figures

    return [str(path) for path in write_pictures(folder, sizing_figures(found))]


def _machine(model: RigModel, mass: float | None, centre: str, moments: str) -> Machine:
    """Bodies that move, on legs without any: the rig's own, or one that was given or assumed."""
    import numpy as np

    from hil.machines.rig.masses import machine_in
    from platform6dof.dynamics.machine import BodyError, Machine, PlatformBody

    place = numbers(centre, 3, "--centre", "x,y,z")
    tensor = np.diag(numbers(moments, 3, "--moments", "xx,yy,zz"))
    if max(map(abs, place)) > 20.0:
        raise ConfigError("--centre", [f"{centre}: further than 20 m; positions are in metres"])
    own = machine_in(model.rig, model.geometry)
    if mass is None and own is not None:
        return Machine(own.geometry, own.bodies)
    kg = float(sum(model.rig.cylinders.moving_mass_kg)) if mass is None else mass
    if not 0.0 < kg <= MASS_MAX_KG:
        raise ConfigError("--mass", [f"{kg:g} kg: must be above 0 kg, at most {MASS_MAX_KG:g} kg"])
    try:
        return Machine(model.geometry, (PlatformBody("load", kg, np.array(place), tensor),))
    except BodyError as error:
        raise ConfigError("--moments", [str(error)]) from None


def _show(summary: SizingSummary, window_m: float) -> None:
    from rich.table import Table

    from hil.stations.platform.proof import sizing_report as report

    out.print(report.load_line(summary))
    table = Table("", *report.DEMAND_HEADS, box=None, pad_edge=False)
    for row in report.demand_rows(summary):
        table.add_row(*row)
    out.print(table)
    for line in report.outside_lines(summary):
        out.print(line, soft_wrap=True)
    out.print(f"needed stroke, with margins: {summary['needed']['stroke_m']:.3f} m\n")
    table = Table(*report.FIT_HEADS, box=None, pad_edge=False)
    for fit in summary["cylinders"]:
        table.add_row(*report.fit_row(fit, window_m))
    out.print(table)
    for line in (*report.note_lines(summary), *summary["written"]):
        out.print(line, soft_wrap=True)
