"""``hil platform design``: geometries under constraints, and rigs of the best of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hil.config.errors import ConfigError, RefusedError
from hil.stations.platform.commands.rig_model import PicturesOption, write_pictures
from hil.stations.platform.proof.design_summaries import (
    DesignedRigSummary,
    DesignSummary,
    MachineSizesSummary,
)
from hil.terminal.console import Json, leave, out, print_json, verb, waiting

if TYPE_CHECKING:
    from hil.machines.rig.design_spec import DesignSpec
    from hil.stations.platform.machine.design_rigs import DesignedRig
    from platform6dof.design.problem import DesignFigures, DesignProblem

UNITS = {"stroke_m": "stroke m", "force_n": "force N", "error": "error mm/mm",
         "footprint_m": "footprint m"}  # fmt: skip


@verb
def design(
    spec: Annotated[
        str, typer.Argument(metavar="SPEC", help="Design file, or the name of a shipped one.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for the rigs.")
    ],
    pictures: PicturesOption = None,
    as_json: Json = False,
) -> None:
    """Sizes of a platform for poses and a load: the best compromises, each as a rig."""
    from hil.config.file_search import find_file
    from hil.config.settings import read_toml
    from hil.machines.rig.design_spec import DesignSpec
    from hil.machines.rig.machine import load_rig
    from hil.stations.platform.machine.design_motions import motions_of, problem_of
    from hil.stations.platform.machine.design_rigs import figures_of_rig, rig_of
    from platform6dof.design.search import NoDesignError, find_front

    path = find_file(spec, folder="designs", key="SPEC")
    settings = DesignSpec.build(read_toml(path), str(path)).check(str(path))
    rig_path = find_file(settings.rig, beside=path, folder="rigs", key="rig")
    base = load_rig(rig_path)
    settings.check_on(base, str(path))
    with waiting("computing the motions", quiet=as_json):
        motions = motions_of(settings, path, rig_path, base)
        problem = problem_of(settings, base, motions)
    try:
        with waiting("searching geometries", quiet=as_json):
            front = find_front(problem, settings.seed, settings.rigs + settings.rigs // 4)
    except NoDesignError as error:
        raise RefusedError(f"{path}: {error}") from None
    table = read_toml(rig_path)
    made = [
        rig_of(settings, table, problem, front.figures, number, motions)
        for number in range(len(front.figures.sizes))
    ]
    refused = [f"{n + 1:02d}: {one}" for n, one in enumerate(made) if isinstance(one, str)]
    rigs = [one for one in made if not isinstance(one, str)]
    if not rigs:
        raise RefusedError(f"{path}: no machine of the front is accepted as a rig:\n{refused[0]}")
    before = figures_of_rig(base, problem)
    balanced = made[front.balanced]
    best = rigs[0] if isinstance(balanced, str) else balanced
    written = _write(output, settings, problem, rigs)
    if pictures is not None:
        from hil.stations.platform.report.design_figures import design_figures

        drawn = design_figures(problem, front.figures, rigs, best, before)
        written += write_pictures(pictures, drawn)
    summary = _summary(problem, output, rigs, best, before)
    summary.update(
        ok=len(rigs) >= settings.rigs,
        motions=list(settings.motions),
        tried=front.tried,
        refused=refused,
        written=[str(one) for one in written],
    )
    if as_json:
        print_json(summary)
    else:
        _show(problem, summary)
    leave(summary["ok"])


def _write(
    folder: Path, spec: DesignSpec, problem: DesignProblem, rigs: list[DesignedRig]
) -> list[Path]:
    from pathlib import PurePath

    from hil.config.files import make_folder, replacing_text
    from hil.config.toml_text import toml_of

    head = f"# Made by `hil platform design`, of the design {spec.name}: forces and lengths are\n"
    head += "# those of its load and box; replace the cylinders' by those that you buy.\n\n"
    names = ("name", *problem.objectives, *MachineSizesSummary.__annotations__)
    lines = [",".join(names)]
    try:
        make_folder(folder, PurePath())
        for one in rigs:
            with replacing_text(folder / f"{one.rig.name}.toml") as file:
                file.write(head + toml_of(one.table))
            numbers = [*one.objectives.tolist(), *_sizes(one).values()]
            lines.append(",".join([one.rig.name, *(f"{value:.6g}" for value in numbers)]))
        with replacing_text(folder / "front.csv") as file:
            file.write("\n".join(lines) + "\n")
    except OSError as error:
        raise ConfigError(str(folder), [f"cannot be written: {error.strerror}"]) from None
    return [*(folder / f"{one.rig.name}.toml" for one in rigs), folder / "front.csv"]


def _sizes(one: DesignedRig) -> MachineSizesSummary:
    import math

    radius, half, top, of_top, turn, height = one.sizes.tolist()
    return MachineSizesSummary(
        base_radius_m=radius,
        base_half_angle_deg=math.degrees(half),
        platform_radius_m=top,
        platform_half_angle_deg=math.degrees(of_top),
        plate_turn_deg=math.degrees(turn),
        height_m=height,
    )


def _summary(
    problem: DesignProblem,
    folder: Path,
    rigs: list[DesignedRig],
    best: DesignedRig,
    before: DesignFigures | None,
) -> DesignSummary:
    names = problem.objectives
    old = None if before is None else before.objectives[0].tolist()

    def row(one: DesignedRig) -> DesignedRigSummary:
        values = one.objectives.tolist()
        cylinders = one.rig.cylinders
        pairs = None if old is None else zip(names, values, old, strict=True)
        return DesignedRigSummary(
            name=one.rig.name,
            file=str(folder / f"{one.rig.name}.toml"),
            sizes=_sizes(one),
            objectives=dict(zip(names, values, strict=True)),
            change=None if pairs is None else {name: new / was - 1.0 for name, new, was in pairs},
            closed_length_m=cylinders.closed_length_m[0],
            stroke_m=cylinders.stroke_m[0],
            force_max_n=cylinders.force_max_n[0],
        )

    return DesignSummary(
        ok=True,
        motions=[],
        tried=0,
        rigs=[row(one) for one in rigs],
        balanced=best.rig.name,
        base=None if old is None else dict(zip(names, old, strict=True)),
        refused=[],
        written=[],
    )


def _show(problem: DesignProblem, summary: DesignSummary) -> None:
    from rich.table import Table

    heads = ("base m", "half °", "platform m", "half °", "turn °", "height m")
    table = Table(
        "rig", *(UNITS[name] for name in problem.objectives), *heads, box=None, pad_edge=False
    )
    if summary["base"] is not None:
        table.add_row("as it is", *(f"{value:.4g}" for value in summary["base"].values()))
    for one in summary["rigs"]:
        mark = " *" if one["name"] == summary["balanced"] else ""
        values = [f"{value:.4g}" for value in one["objectives"].values()]
        sizes = [f"{value:.4g}" for value in one["sizes"].values()]
        table.add_row(one["name"] + mark, *values, *sizes)
    out.print(table)
    out.print(f"* nearest to the best of all objectives; {summary['tried']} machines were computed")
    if summary["refused"]:
        out.print(f"{len(summary['refused'])} machines of the front are not accepted as rigs")
    for path in summary["written"]:
        out.print(path, soft_wrap=True)
