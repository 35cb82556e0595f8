"""``hil platform accuracy``: how exact a machine is at a point, and which tolerances that takes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hil.config.errors import ConfigError, RefusedError
from hil.stations.platform.commands.rig_model import (
    PicturesOption,
    PoseOption,
    RigModel,
    summarize_pose,
    write_pictures,
)
from hil.stations.platform.proof.accuracy_summaries import (
    BudgetSummary,
    PointAccuracySummary,
    PointErrorSummary,
    PoseAccuracySummary,
    ToleranceSummary,
)
from hil.terminal.console import Json, numbers, out, print_json, verb, waiting
from hil.terminal.options import RigArg

if TYPE_CHECKING:
    from hil.stations.platform.machine.accuracy import AccuracyTask, BoxAccuracy, PoseAccuracy
    from hil.stations.platform.plan.tolerance_settings import ToleranceSettings
    from platform6dof.accuracy.propagation import PointError

POINT_NAMES = "x,y,z"
BUDGET = re.compile(r"([0-9.eE+-]{1,24}) ?(mm|um|µm|m)")
METRES = {"m": 1.0, "mm": 1e-3, "um": 1e-6, "µm": 1e-6}
PointOption = Annotated[
    str | None,
    typer.Option(
        "--at",
        metavar=POINT_NAMES,
        help="Point of the platform, in its axes [m]; its origin if left out.",
    ),
]
BudgetOption = Annotated[
    str | None,
    typer.Option(
        "--budget",
        metavar="SIZE[@x,y,z]",
        help="Give each part the tolerance with which the point errs by at most this, three "
        "standard deviations over the rig's pose box: 0.2mm, or 0.2mm@0.3,0,1.2.",
    ),
]


@verb
def accuracy(
    rig: RigArg,
    at: PointOption = None,
    pose: PoseOption = None,
    tolerances: Annotated[
        Path | None,
        typer.Option("--tolerances", metavar="FILE", help="TOML file of the parts' tolerances."),
    ] = None,
    tolerance: Annotated[
        list[str] | None,
        typer.Option(
            "--tolerance",
            metavar="KEY=VALUE",
            help="Tolerance of one kind of parts (play_m=2e-5). May be repeated.",
        ),
    ] = None,
    budget: BudgetOption = None,
    machines: Annotated[int, typer.Option("--machines", min=10, max=1_000_000)] = 2000,
    seed: Annotated[int, typer.Option("--seed", min=0)] = 0,
    pictures: PicturesOption = None,
    as_json: Json = False,
) -> None:
    """Pose error at a point of the platform from the errors of the machine's parts."""
    from hil.stations.platform.plan.tolerance_settings import load_tolerances

    settings = load_tolerances(tolerances, tolerance or ())
    wanted_m, at = _wanted(budget, at)
    task = _task(rig, settings, _point(at), machines, seed)
    coordinates = RigModel(rig).coordinates(pose)
    with waiting("drawing random machines", quiet=as_json):
        here, box = _at(task, coordinates, "this pose"), task.over_box()
        worst = None
        if len(box.place_m):
            worst = _at(task, box.coordinates[int(box.place_m.argmax())], "the worst pose")
        kept = None if wanted_m is None else _budget(task, box, wanted_m)
    written: list[Path] = []
    if pictures is not None:
        from hil.stations.platform.report.accuracy_figures import accuracy_figures

        written = write_pictures(pictures, accuracy_figures(RigModel(rig).rig, task, here, worst))
    summary = PointAccuracySummary(
        ok=True,
        point_m=task.point_m.tolist(),
        tolerances=_tolerances(settings),
        machines=machines,
        at_pose=_summary(here),
        poses_tried=box.tried,
        poses_within=len(box.place_m),
        worst=worst and _summary(worst),
        budget=kept,
        written=[str(path) for path in written],
    )
    if as_json:
        print_json(summary)
    else:
        _show(summary)


def _task(
    rig: str, settings: ToleranceSettings, point_m: list[float], machines: int, seed: int
) -> AccuracyTask:
    import numpy as np

    from hil.stations.platform.machine.accuracy import AccuracyTask

    model = RigModel(rig)
    return AccuracyTask(
        model.geometry, model.envelope, model.rig.pose_box.box(), settings.tolerances(),
        np.array(point_m), machines, seed,
    )  # fmt: skip


def _at(task: AccuracyTask, coordinates: object, which: str) -> PoseAccuracy:
    import numpy as np

    from platform6dof.accuracy.propagation import SingularPoseError

    try:
        return task.at(np.asarray(coordinates))
    except SingularPoseError:
        raise RefusedError(
            f"--pose: {which} is singular: the legs do not hold the platform, and no error of it "
            f"is bounded; take a pose within the rig's limits"
        ) from None


def _point(text: str | None) -> list[float]:
    values = numbers(text, 3, "--at", POINT_NAMES) if text else [0.0, 0.0, 0.0]
    if max(map(abs, values)) > 20.0:
        raise ConfigError("--at", [f"{text}: further than 20 m; positions are in metres"])
    return values


def _wanted(text: str | None, at: str | None) -> tuple[float | None, str | None]:
    """Error of a ``--budget`` [m], and the text of its point, which is that of ``--at`` too."""
    if text is None:
        return None, at
    size, _, place = text.partition("@")
    parts = BUDGET.fullmatch(size.strip())
    if parts is None:
        example = "write a number and its unit, as 0.2mm or 0.2mm@0.3,0,1.2 (m, mm or um)"
        raise ConfigError("--budget", [f"{text!r}: {example}"])
    try:
        wanted_m = float(parts[1]) * METRES[parts[2]]
    except ValueError:
        raise ConfigError("--budget", [f"{parts[1]!r} is no number"]) from None
    if not 1e-9 <= wanted_m <= 1.0:
        raise ConfigError("--budget", [f"{size}: {wanted_m:g} m, must be from 1e-9 m to 1 m"])
    if place and at is not None:
        raise ConfigError("--budget", [f"{text!r} has a point, and so has --at {at}: give one"])
    return wanted_m, place or at


def _budget(task: AccuracyTask, box: BoxAccuracy, wanted_m: float) -> BudgetSummary:
    from hil_common.arrays.pose import Pose
    from platform6dof.accuracy.random_machines import random_machines
    from platform6dof.accuracy.tolerances import KINDS, NAMES

    if not len(box.place_m):
        raise RefusedError(
            f"--budget: none of {box.tried} poses of the rig's pose_box is within its limits, so "
            f"there is no pose to keep the budget at"
        )
    found = task.budget(box.coordinates, wanted_m)
    worst = box.coordinates[found.worst]
    drawn = random_machines(
        task.geometry, found.tolerances, Pose.from_coordinates(worst), task.point_m,
        task.machines, task.seed,
    )  # fmt: skip
    given = zip(NAMES, KINDS, found.tolerances.of_kinds, strict=True)
    return BudgetSummary(
        wanted_m=wanted_m,
        point_m=task.point_m.tolist(),
        tolerances={name: None if kind in found.unbounded else v for name, kind, v in given},
        reached_m=found.reached_m,
        drawn_m=drawn.three_sigma.place_total_m,
        pose=summarize_pose(worst),
    )


def _tolerances(settings: ToleranceSettings) -> dict[str, ToleranceSummary]:
    from platform6dof.accuracy.tolerances import NAMES

    return {
        name: ToleranceSummary(value=getattr(settings, name), assumed=name in settings.assumed)
        for name in NAMES
    }


def _summary(found: PoseAccuracy) -> PoseAccuracySummary:
    import math

    return PoseAccuracySummary(
        pose=summarize_pose(found.coordinates),
        three_sigma=_error(found.linear),
        worst_case=_error(found.worst),
        drawn_three_sigma=_error(found.drawn.three_sigma),
        drawn_greatest=_error(found.drawn.greatest),
        without_pose=found.drawn.without_pose,
        shares=found.shares,
        place_per_length=found.per_length[0],
        turn_per_length_deg_m=math.degrees(found.per_length[1]),
    )


def _error(error: PointError) -> PointErrorSummary:
    import numpy as np

    x, y, z = error.place_m.tolist()
    turn_x, turn_y, turn_z = np.degrees(error.turn_rad).tolist()
    total = float(np.degrees(error.turn_total_rad))
    return PointErrorSummary(
        x_m=x, y_m=y, z_m=z, turn_x_deg=turn_x, turn_y_deg=turn_y, turn_z_deg=turn_z,
        place_m=error.place_total_m, turn_deg=total,
    )  # fmt: skip


def _show(summary: PointAccuracySummary) -> None:
    place = ", ".join(f"{value:g}" for value in summary["point_m"])
    out.print(f"point {place} m of the platform, in its axes")
    given = summary["tolerances"].items()
    for words, assumed in (("given", False), ("assumed", True)):
        listed = [f"{name} {one['value']:g}" for name, one in given if one["assumed"] is assumed]
        if listed:
            out.print(f"tolerances ±, {words}: {', '.join(listed)}", soft_wrap=True)
    _show_pose("at", summary["at_pose"])
    found = f"{summary['poses_within']} of {summary['poses_tried']} poses of the pose box"
    if summary["worst"] is None:
        out.print(f"worst: none of these is within the limits ({found})")
    else:
        _show_pose(f"worst of {found} within the limits:", summary["worst"])
    if (budget := summary["budget"]) is not None:
        _show_budget(budget, summary["machines"])
    for path in summary["written"]:
        out.print(path, soft_wrap=True)


def _show_pose(words: str, found: PoseAccuracySummary) -> None:
    from rich.table import Table

    out.print(f"\n{words} {_words_of(found['pose'])}", soft_wrap=True)
    names = ("three_sigma", "drawn_three_sigma", "worst_case", "drawn_greatest")
    heads = ("3σ linear", "3σ random machines", "worst case", "greatest random")
    table = Table("error", *heads, box=None, pad_edge=False)
    for key, label, factor in (
        ("x_m", "x mm", 1e3), ("y_m", "y mm", 1e3), ("z_m", "z mm", 1e3),
        ("place_m", "place mm", 1e3), ("turn_x_deg", "about x deg", 1.0),
        ("turn_y_deg", "about y deg", 1.0), ("turn_z_deg", "about z deg", 1.0),
        ("turn_deg", "turn deg", 1.0),
    ):  # fmt: skip
        table.add_row(label, *(f"{factor * found[name][key]:.4f}" for name in names))
    out.print(table)
    shares = sorted(found["shares"].items(), key=lambda one: -one[1])
    out.print("share of the place's variance: " + ", ".join(f"{k} {v:.0%}" for k, v in shares))
    if found["without_pose"]:
        out.print(f"{found['without_pose']} random machines have no pose there", style="red")


def _show_budget(budget: BudgetSummary, machines: int) -> None:
    out.print(f"\nbudget: {1e3 * budget['wanted_m']:g} mm, 3σ, at every such pose; tolerances ±")
    for name, value in budget["tolerances"].items():
        out.print(f"  {name:20} " + ("any" if value is None else f"{value:.3g}"))
    out.print(
        f"worst {_words_of(budget['pose'])}: {1e3 * budget['reached_m']:.4f} mm linear, "
        f"{1e3 * budget['drawn_m']:.4f} mm of {machines} random machines",
        soft_wrap=True,
    )


def _words_of(pose: object) -> str:
    given: dict[str, float] = dict(pose)  # type: ignore[call-overload]
    return ", ".join(f"{key} {round(value, 4) + 0.0:g}" for key, value in given.items())
