"""``hil arm table``: errors, speed and cost of the space arm's drive models, as in 1993."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import typer

from hil.config.errors import ConfigError
from hil.config.files import make_folder, write_whole
from hil.stations.arm.commands.space_arms import loads_of, models_of, space_arm_of
from hil.terminal.console import Json, err, leave, out, print_json, verb

if TYPE_CHECKING:
    from hil.machines.space_arm.settings import ArmSettings
    from hil.report.style import Picture
    from hil_arm_study.compare import ReferencePath
    from hil_arm_study.table import ModelRow, Scheme, TablePlan

ArmOption = Annotated[
    str, typer.Option("--arm", metavar="ARM", help="Arm file, or the name of a shipped one.")
]
PayloadOption = Annotated[
    str | None,
    typer.Option(
        "--payload",
        metavar="none|NAME|KG,…",
        help="Payloads: none, names of the arm's file (light, heavy), or masses in kg. "
        "None and all of the file if left out.",
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="a,…,f",
        help="Drive models: a linear; b with limits of current and voltage; c b with backlash; "
        "d c with elastic joints; e d with dry friction; f b with inductance. All that the arm's "
        "file describes if left out.",
    ),
]

_UNKNOWN = {"euler1993": "ef", "sdirk4": "c"}
"""Drive models that an integrator does not know: dry friction and inductance, blows in gaps."""


class TableSummary(TypedDict):
    """Accuracy and speed of the drive models."""

    ok: bool
    """Every run has a solution."""
    arm: str
    """Its name."""
    integrator: str
    """Name of the scheme."""
    motions: list[str]
    """That were run."""
    rows: list[ModelRow]
    """A model with a payload each."""
    written: list[str]
    """Files of pictures."""


@verb
def table(
    arm: ArmOption = "bkm",
    payload: PayloadOption = None,
    model: ModelOption = None,
    motions: Annotated[
        int, typer.Option("--motions", min=1, help="How many of the slow motions.")
    ] = 12,
    integrator: Annotated[
        str,
        typer.Option(
            "--integrator",
            metavar="sdirk2|sdirk4|euler1993",
            help="Implicit with error control, of second order or of fourth for tolerances far "
            "below (not c), or the scheme of 1993 (not e, f).",
        ),
    ] = "sdirk2",
    step_ms: Annotated[
        float, typer.Option("--step", min=1.0, max=350.0, help="Of the scheme of 1993 [ms].")
    ] = 35.0,
    tolerance_um: Annotated[
        float | None,
        typer.Option("--tolerance", min=1e-6, max=1e6, help="Error of one step [um]."),
    ] = None,
    reference_us: Annotated[
        float | None,
        typer.Option(
            "--reference-step",
            min=5.0,
            max=1000.0,
            help="Fixed step of the references [us]; 25 to 200 for models a to c if left out, and "
            "SDIRK4 for d to f.",
        ),
    ] = None,
    repeats: Annotated[
        int, typer.Option("--repeats", min=1, max=100, help="Of which the least times are taken.")
    ] = 5,
    rk4: Annotated[bool, typer.Option(help="Find RK4's largest stable step, too.")] = True,
    cache: Annotated[
        Path | None, typer.Option("--cache", help="Folder in which references are kept.")
    ] = None,
    pictures: Annotated[
        Path | None, typer.Option("--pictures", help="Write pictures there as well.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Errors, speed and cost of the drive models over slow motions, beside those of 1993.

    Exit status 1 if a run failed. Ctrl-C gives up.
    """  # fmt: skip
    from hil_arm_study.motions import COUNT
    from hil_arm_study.references import references
    from hil_arm_study.show import print_table
    from hil_arm_study.table import Scheme, TablePlan, make_table

    if motions > COUNT:
        raise ConfigError("--motions", [f"{motions}: there are {COUNT}"])
    known = [scheme.value for scheme in Scheme]
    if integrator not in known:
        raise ConfigError("--integrator", [f"{integrator!r}: {' or '.join(known)} is needed"])
    scheme = Scheme(integrator)
    settings = space_arm_of(arm, key="--arm")
    plan = TablePlan(
        arm=settings.arm(),
        models=models_of(model, settings.arm(), without=_UNKNOWN.get(integrator, "")),
        loads=loads_of(settings, payload),
        motions=_motions(settings, motions),
        scheme=scheme,
        accuracy=_accuracy(scheme, tolerance_um),
        step_s=step_ms * 1e-3,
        repeats=repeats,
        with_rk4=rk4,
    )
    clock, cases = _clock(), [case for row in plan.cases() for case in row]
    step_s = None if reference_us is None else reference_us * 1e-6
    try:
        with progress(len(cases), "references") as tell:
            wanted = references(cases, step_s=step_s, folder=cache, tell=tell)
        with progress(len(cases), "runs") as tell:
            rows = make_table(plan, wanted, clock, tell)
        written = _draw_pictures(settings, plan, wanted, clock, pictures)
    except OSError as error:
        raise ConfigError(str(error.filename), [f"cannot be written: {error.strerror}"]) from None
    failed = [f"{row.model} {row.payload}" for row in rows if row.failed]
    if as_json:
        print_json(
            TableSummary(
                ok=not failed, arm=settings.name, integrator=scheme.value,
                motions=[motion.name for motion in plan.motions],
                rows=rows, written=written,
            )
        )  # fmt: skip
    else:
        print_table(settings.name, plan, rows)
        for path in written:
            out.print(path, soft_wrap=True)
    if failed:
        err.print(f"no solution: {', '.join(failed)}")
    leave(not failed)


def _motions(settings: ArmSettings, count: int) -> Any:
    from hil_arm_study.motions import motions as slow_motions

    try:
        return slow_motions(settings.arm(), settings.home_rad(), count)
    except ValueError as error:
        raise ConfigError(settings.name, [str(error)]) from None


def _accuracy(scheme: Scheme, tolerance_um: float | None) -> Any:
    from hil_arm_study.table import Scheme
    from sim.world.space_arm.integrators import Accuracy

    if tolerance_um is None:
        return None
    usual = Accuracy.fine() if scheme is Scheme.SDIRK4 else Accuracy()
    return replace(usual, tolerance_m=tolerance_um * 1e-6)


def _clock() -> Callable[[], float] | None:
    """The system's clock, or None where it is not known: then there are no times."""
    from hil.timing.realtime import RealClock

    try:
        return RealClock().now_s
    except OSError as error:
        err.print(f"no real-time factors: {error.strerror}")
        return None


@contextmanager
def progress(total: int, what: str) -> Iterator[Callable[[], None]]:
    """Show how much of some work is done, and the time that is left; yield what counts it."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:.0f} of {task.total:.0f}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)


def _draw_pictures(
    settings: ArmSettings,
    plan: TablePlan,
    wanted: list[ReferencePath],
    clock: Callable[[], float] | None,
    folder: Path | None,
) -> list[str]:
    """Draw single joints, inductance, and error against speed if there is a clock."""
    if folder is None:
        return []
    from hil_arm_study.pictures import joint_pictures, second_order_picture, tradeoff_picture
    from hil_arm_study.second_order import TIME_CONSTANTS_S, second_order_errors
    from hil_arm_study.tradeoff import FACTORS, tradeoff
    from sim.world.space_arm.drive import DriveModel

    make_pictures_folder(folder)
    payload = next(iter(settings.payloads().values()), None)
    drawn = joint_pictures(settings.arm(), settings.home_rad(), payload)
    if DriveModel.F in plan.models:
        with progress(len(plan.loads) * len(TIME_CONSTANTS_S), "inductance") as tell:
            errors = second_order_errors(plan.arm, plan.loads, plan.motions, tell=tell)
        drawn.append(second_order_picture(plan.arm, errors))
    if clock is not None:
        with progress(len(plan.rows()) * len(FACTORS), "trade-off") as tell:
            curves = tradeoff(plan, wanted, clock, tell=tell)
        drawn.append(tradeoff_picture(curves, plan.loads))
    return write_pictures(folder, drawn)


def make_pictures_folder(folder: Path) -> None:
    """Make the folder of ``--pictures``; raises `ConfigError` if it cannot be made."""
    try:
        make_folder(folder, PurePath())
    except OSError as error:
        raise ConfigError("--pictures", [f"{folder}: cannot be made: {error.strerror}"]) from None


def write_pictures(folder: Path, drawn: Sequence[Picture]) -> list[str]:
    """Write pictures into a folder and return their paths; raises `ConfigError` on failure."""
    written = []
    for picture in drawn:
        path = folder / f"{picture.name}.png"
        try:
            write_whole(path, picture.png)
        except OSError as error:
            raise ConfigError("--pictures", [f"{path}: {error.strerror}"]) from None
        written.append(str(path))
    return written
