"""``hil platform``: kinematics of a rig from the command line, without any motion."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hil.config.errors import ConfigError, RefusedError
from hil.stations.platform.commands import workspace
from hil.stations.platform.commands.accuracy import accuracy
from hil.stations.platform.commands.design import design
from hil.stations.platform.commands.forces import forces
from hil.stations.platform.commands.rig_model import (
    POSE_NAMES,
    PoseOption,
    RigModel,
    in_si,
    pose_of,
    summarize_pose,
)
from hil.stations.platform.commands.size import size
from hil.stations.platform.proof.summaries import (
    ExtremesSummary,
    ForwardSummary,
    InverseSummary,
    SampleSummary,
)
from hil.terminal.console import Json, leave, numbers, out, print_json, verb
from hil.terminal.options import RigArg

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

app = typer.Typer(
    no_args_is_help=True,
    help="A rig by itself: lengths, poses, extremes, samples, workspace, forces, accuracy, "
    "cylinders, design.",
)
app.command("map")(workspace.map_workspace)
app.command()(workspace.prove)
app.command()(forces)
app.command()(accuracy)
app.command()(size)
app.command()(design)

RATE_NAMES = "vx,vy,vz [m/s],alpha,beta,gamma rates [deg/s]"


@app.command()
@verb
def ik(
    rig: RigArg,
    pose: PoseOption = None,
    rates: Annotated[
        str | None, typer.Option("--rates", metavar=RATE_NAMES, help="Speeds of the coordinates.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Pose to leg lengths and speeds, with what the envelope says of them."""
    import numpy as np

    from platform6dof.inverse import leg_setpoint
    from platform6dof.pose import PlatformSetpoint

    model = RigModel(rig)
    coordinates = model.coordinates(pose)
    speeds = in_si(numbers(rates, 6, "--rates", RATE_NAMES)) if rates else np.zeros(6)
    setpoint = PlatformSetpoint.from_coordinates(coordinates, speeds, np.zeros(6))
    legs = leg_setpoint(model.geometry, setpoint)
    wrong = model.envelope.check(setpoint)
    if as_json:
        print_json(
            InverseSummary(
                ok=not wrong,
                pose=summarize_pose(coordinates),
                lengths_m=legs.length_m,
                strokes_m=legs.length_m - model.geometry.closed_length_m,
                speeds_m_s=legs.speed_m_s,
                violations=[str(violation) for violation in wrong],
            )
        )
    else:
        strokes = legs.length_m - model.geometry.closed_length_m
        _leg_table({"length m": legs.length_m, "stroke m": strokes, "speed m/s": legs.speed_m_s})
        for violation in wrong:
            out.print(str(violation), style="red")
    leave(not wrong)


@app.command()
@verb
def fk(
    rig: RigArg,
    lengths: Annotated[
        str, typer.Option("--lengths", metavar="l1,…,l6", help="Leg lengths, joint to joint [m].")
    ],
    pose: Annotated[
        str | None,
        typer.Option("--pose", metavar=POSE_NAMES, help="Where to start the search."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Leg lengths to pose."""
    import numpy as np

    from hil_common.arrays.pose import Pose
    from platform6dof.forward import forward

    model = RigModel(rig)
    measured = np.array(numbers(lengths, 6, "--lengths", "six lengths in m"))
    guess = Pose.from_coordinates(model.coordinates(pose))
    result = forward(model.geometry, measured, guess)
    coordinates = result.X_BP.coordinates()
    if as_json:
        print_json(
            ForwardSummary(
                ok=result.converged,
                pose=summarize_pose(coordinates) if result.converged else None,
                iterations=result.iterations,
                residual_m=result.residual_m,
                condition=result.condition,
                converged=result.converged,
                reason=result.reason,
            )
        )
    elif result.converged:
        for key, value in pose_of(coordinates).items():
            out.print(f"{key:>10} {value: .9f}")
        out.print(f"{result.iterations} iterations, residual {result.residual_m:.2e} m")
    else:
        raise RefusedError(f"no pose found: {result.reason}")
    leave(result.converged)


@app.command()
@verb
def extremes(rig: RigArg, as_json: Json = False) -> None:
    """Exact extremes of the leg lengths over the rig's pose box."""
    from platform6dof.workspace import extremes as exact_extremes

    model = RigModel(rig)
    found = exact_extremes(model.geometry, model.rig.pose_box.box())
    if as_json:
        print_json(
            ExtremesSummary(
                ok=True,
                min_m=found.min_m,
                min_leg=found.min_leg,
                min_pose=summarize_pose(found.min_pose),
                max_m=found.max_m,
                max_leg=found.max_leg,
                max_pose=summarize_pose(found.max_pose),
            )
        )
        return
    ends = (("min", found.min_m, found.min_leg, found.min_pose),)
    ends += (("max", found.max_m, found.max_leg, found.max_pose),)
    for word, value, leg, where in ends:
        place = ", ".join(f"{key} {number:g}" for key, number in _rounded_pose(where).items())
        out.print(f"{word} {value:.9f} m  leg {leg}  at {place}")


@app.command()
@verb
def sample(
    rig: RigArg,
    count: Annotated[int, typer.Option("--count", min=1, max=10_000_000)] = 5000,
    seed: Annotated[int, typer.Option("--seed", min=0)] = 0,
    folder: Annotated[
        Path | None,
        typer.Option("--out", help="Write the paper's figures 5 and 6 and a CSV there."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Leg lengths of random poses in the rig's pose box (the paper's experiment)."""
    from platform6dof.workspace import extremes as exact_extremes
    from platform6dof.workspace import sample as random_sample

    model = RigModel(rig)
    box = model.rig.pose_box.box()
    drawn = random_sample(model.geometry, box, count, seed)
    written: list[Path] = []
    if folder is not None:
        from hil.stations.platform.report.sample_figures import write_sample_figures

        exact = exact_extremes(model.geometry, box)
        try:
            written = [Path(path) for path in write_sample_figures(drawn, box, folder, exact)]
        except OSError as error:
            raise ConfigError(str(folder), [f"cannot be written: {error.strerror}"]) from None
    if as_json:
        print_json(
            SampleSummary(
                ok=True,
                count=count,
                seed=seed,
                min_m=drawn.min_m,
                max_m=drawn.max_m,
                written=[str(path) for path in written],
            )
        )
        return
    out.print(f"{count} poses: {drawn.min_m:.6f} to {drawn.max_m:.6f} m")
    for path in written:
        out.print(str(path), soft_wrap=True)


def _rounded_pose(coordinates: NDArray[np.float64]) -> dict[str, float]:
    return {key: round(value, 6) + 0.0 for key, value in pose_of(coordinates).items()}


def _leg_table(columns: dict[str, Any]) -> None:
    from rich.table import Table

    table = Table("leg", *columns, box=None, pad_edge=False)
    for leg in range(6):
        table.add_row(str(leg + 1), *(f"{values[leg]:.9f}" for values in columns.values()))
    out.print(table)
