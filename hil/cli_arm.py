"""``hil arm``: the space arm from the command line. It is simulated; nothing moves."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from hil.console import Json, RefusedError, err, leave, numbers, out, print_json, verb
from hil.settings import ConfigError

if TYPE_CHECKING:
    from hil.arm.compare import Reference
    from hil.arm.table import Load, Plan
    from hil.arm_settings import ArmSettings
    from sim.world.space_arm.drive import DriveModel

app = typer.Typer(
    no_args_is_help=True,
    help="The simulated space arm: its kinematics, a few ticks of it, the table of drive models.",
)

ArmArg = Annotated[
    str, typer.Argument(metavar="ARM", help="Arm file, or the name of one that is shipped (bkm).")
]
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
        metavar="a,…,e",
        help="Drive models: a linear; b with limits of current and voltage; c b with backlash; "
        "d c with elastic joints; e d with dry friction. All if left out.",
    ),
]
JOINT_NAMES = "q1,…,q6"
PAYLOAD_MOST_KG = 1e5


@app.command()
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
            metavar="sdirk2|euler1993",
            help="Implicit with error control, or the scheme of 1993 (models a to d).",
        ),
    ] = "sdirk2",
    step_ms: Annotated[
        float, typer.Option("--step", min=1.0, max=350.0, help="Of the scheme of 1993 [ms].")
    ] = 35.0,
    tolerance_um: Annotated[
        float | None,
        typer.Option("--tolerance", min=1e-6, max=1e6, help="Error of one step, SDIRK2 [um]."),
    ] = None,
    reference_us: Annotated[
        float | None,
        typer.Option(
            "--reference-step",
            min=5.0,
            max=1000.0,
            help="Step of the references [us]; 25 to 200 by model if left out.",
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
    from hil.arm.motions import COUNT
    from hil.arm.references import references
    from hil.arm.show import print_table
    from hil.arm.table import Plan, Scheme, make_table

    if motions > COUNT:
        raise ConfigError("--motions", [f"{motions}: there are {COUNT}"])
    if integrator not in [scheme.value for scheme in Scheme]:
        raise ConfigError("--integrator", [f"{integrator!r}: sdirk2 or euler1993 is needed"])
    scheme = Scheme(integrator)
    settings = _settings(arm)
    plan = Plan(
        arm=settings.arm(),
        models=_models(model, classic=scheme is Scheme.EULER_1993),
        loads=_loads(settings, payload),
        motions=_motions(settings, motions),
        scheme=scheme,
        accuracy=_accuracy(tolerance_um),
        step_s=step_ms * 1e-3,
        repeats=repeats,
        with_rk4=rk4,
    )
    clock, cases = _clock(), [case for row in plan.cases() for case in row]
    step_s = None if reference_us is None else reference_us * 1e-6
    try:
        with _progress(len(cases), "references") as tell:
            wanted = references(cases, step_s=step_s, folder=cache, tell=tell)
        with _progress(len(cases), "runs") as tell:
            rows = make_table(plan, wanted, clock, tell)
        written = _write_pictures(settings, plan, wanted, clock, pictures)
    except OSError as error:
        raise RefusedError(f"{error.filename}: cannot be written: {error.strerror}") from None
    failed = [f"{row.model} {row.payload}" for row in rows if row.failed]
    if as_json:
        told = {"ok": not failed, "arm": settings.name, "integrator": scheme.value,
                "motions": [motion.name for motion in plan.motions],
                "rows": [row.json() for row in rows], "written": written}  # fmt: skip
        print_json(told)
    else:
        print_table(settings.name, plan, rows)
        for path in written:
            out.print(path, markup=False, soft_wrap=True)
    if failed:
        err.print(f"no solution: {', '.join(failed)}", markup=False)
    leave(not failed)


@app.command()
@verb
def fk(
    arm: ArmArg,
    joints: Annotated[
        str | None,
        typer.Option("--q", metavar=JOINT_NAMES, help="Joint angles [deg]; home if left out."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Joint angles to the pose of the gripper, with how well the posture can be moved."""
    from sim.world.space_arm.kernels.dynamics import gripper_pose, make_scratch
    from sim.world.space_arm.singularity import PostureSolver, reach_m

    settings = _settings(arm)
    model = settings.arm()
    q = _angles(settings, joints)
    rotation, position = np.empty((3, 3)), np.empty(3)
    gripper_pose(model.arrays(), q, make_scratch(), rotation, position)
    posture = PostureSolver(model, reach_m(model)).at(q)
    if as_json:
        print_json(
            {
                "ok": True,
                "q_deg": np.degrees(q),
                "position_m": position,
                "rotation": rotation,
                "smallest_singular_value": posture.smallest,
                "manipulability": posture.manipulability,
            }
        )
        return
    for name, value in zip("xyz", position, strict=True):
        out.print(f"{name} {value: .9f} m")
    for row in rotation:
        out.print("  ".join(f"{value: .9f}" for value in row))
    out.print(f"smallest singular value {posture.smallest:.4f}")


@app.command()
@verb
def advance(
    arm: ArmArg,
    rates: Annotated[
        str, typer.Option("--rates", metavar=JOINT_NAMES, help="Commanded joint rates [deg/s].")
    ],
    ticks: Annotated[int, typer.Option("--ticks", min=1, max=100_000)] = 10,
    joints: Annotated[
        str | None,
        typer.Option("--q", metavar=JOINT_NAMES, help="Start [deg]; home if left out."),
    ] = None,
    payload: Annotated[str, typer.Option("--payload", metavar="none|NAME|KG")] = "none",
    model: Annotated[str, typer.Option("--model", metavar="a|b|c|d|e")] = "e",
    as_json: Json = False,
) -> None:
    """Simulate a few ticks of 0.35 s with constant commanded joint rates."""
    from hil.arm.show import held, snapshot_json
    from sim.world.space_arm.integrators import Status
    from sim.world.space_arm.simulator import SpaceArm

    settings = _settings(arm)
    loads, models = _loads(settings, payload), _models(model, classic=False)
    if len(loads) != 1 or len(models) != 1:
        raise ConfigError("command line", ["one payload and one model are needed here"])
    command = np.radians(numbers(rates, 6, "--rates", f"{JOINT_NAMES} in deg/s"))
    try:
        simulated = SpaceArm(
            settings.arm(), models[0], _angles(settings, joints), payload=loads[0].body
        )
        snapshots = [simulated.advance(command) for _ in range(ticks)]
    except ValueError as error:
        raise ConfigError("command line", [str(error)]) from None
    ok = all(snapshot.status is not Status.FAILED for snapshot in snapshots)
    if as_json:
        print_json({"ok": ok, "ticks": [snapshot_json(snapshot) for snapshot in snapshots]})
    else:
        shown = Table("t s", "x m", "y m", "z m", "speed mm/s", "joints held back by", box=None)
        for snapshot in snapshots:
            speed = 1e3 * float(np.linalg.norm(snapshot.velocity_BG_m_s))
            place = (f"{value:.6f}" for value in snapshot.position_BG_m)
            shown.add_row(f"{snapshot.time_s:.2f}", *place, f"{speed:.3f}", held(snapshot))
        out.print(shown)
    leave(ok)


def _settings(name: str) -> "ArmSettings":
    from hil.arm_settings import ArmSettings
    from hil.shipped import find_file

    return ArmSettings.load(find_file(name, folder="arms", key="ARM"))


def _models(text: str | None, *, classic: bool) -> tuple["DriveModel", ...]:
    """Drive models of ``--model``; the scheme of 1993 knows no dry friction."""
    from sim.world.space_arm.drive import DriveModel

    known = [model for model in DriveModel if not (classic and model is DriveModel.E)]
    if text is None:
        return tuple(known)
    letters = [part.strip() for part in text.split(",")]
    for letter in letters:
        if letter not in [model.value for model in known]:
            there = ", ".join(model.value for model in known)
            raise ConfigError("--model", [f"{letter!r} is no drive model here; there are {there}"])
    return tuple(DriveModel(letter) for letter in dict.fromkeys(letters))


def _loads(settings: "ArmSettings", text: str | None) -> tuple["Load", ...]:
    from hil.arm.table import Load

    named = settings.payloads()
    words = ["none", *named] if text is None else [part.strip() for part in text.split(",")]
    loads = []
    for word in dict.fromkeys(words):
        if word == "none":
            loads.append(Load("none", None))
        elif word in named:
            loads.append(Load(word, named[word]))
        else:
            loads.append(Load(word, _body(settings, word)))
    return tuple(loads)


def _body(settings: "ArmSettings", word: str) -> Any:
    """A payload of a given mass: the file's one of the nearest mass, made heavier or lighter."""
    from sim.world.space_arm.arm import Body

    named = settings.payloads()
    there = ", ".join(["none", *named])
    try:
        mass = float(word)
    except ValueError:
        raise ConfigError("--payload", [f"{word!r}: {there}, or a mass in kg is needed"]) from None
    if not 0.0 < mass <= PAYLOAD_MOST_KG:
        raise ConfigError("--payload", [f"{word} kg: above 0, at most {PAYLOAD_MOST_KG:g} kg"])
    if not named:
        raise ConfigError(
            "--payload", [f"{word} kg: the arm's file names no payload whose shape could be taken"]
        )
    like = min(named.values(), key=lambda body: abs(np.log(body.mass_kg / mass)))
    return Body(mass, like.com_m, like.inertia_kg_m2 * (mass / like.mass_kg))


def _motions(settings: "ArmSettings", count: int) -> Any:
    from hil.arm.motions import motions as slow_motions

    try:
        return slow_motions(settings.arm(), settings.home_rad(), count)
    except ValueError as error:
        raise ConfigError(settings.name, [str(error)]) from None


def _accuracy(tolerance_um: float | None) -> Any:
    from sim.world.space_arm.integrators import Accuracy

    return None if tolerance_um is None else Accuracy(tolerance_m=tolerance_um * 1e-6)


def _angles(settings: "ArmSettings", text: str | None) -> NDArray[np.float64]:
    if text is None:
        return settings.home_rad()
    return np.radians(numbers(text, 6, "--q", f"{JOINT_NAMES} in degrees"))


def _clock() -> Callable[[], float] | None:
    """The system's clock, or None where it is not known: then there are no times."""
    from hil.realtime import RealClock

    try:
        return RealClock().now_s
    except OSError as error:
        err.print(f"no real-time factors: {error.strerror}", markup=False)
        return None


@contextmanager
def _progress(total: int, what: str) -> Iterator[Callable[[], None]]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:.0f} of {task.total:.0f}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)


def _write_pictures(
    settings: "ArmSettings",
    plan: "Plan",
    wanted: "list[Reference]",
    clock: Callable[[], float] | None,
    folder: Path | None,
) -> list[str]:
    """Pictures of single joints, and the curve of error against speed if there is a clock."""
    if folder is None:
        return []
    from hil.arm.pictures import joint_pictures, tradeoff_picture
    from hil.arm.tradeoff import FACTORS, tradeoff

    folder.mkdir(parents=True, exist_ok=True)
    payload = next(iter(settings.payloads().values()), None)
    drawn = joint_pictures(settings.arm(), settings.home_rad(), payload)
    if clock is not None:
        with _progress(len(plan.rows()) * len(FACTORS), "trade-off") as tell:
            curves = tradeoff(plan, wanted, clock, tell=tell)
        drawn.append(tradeoff_picture(curves, plan.loads))
    written = []
    for picture in drawn:
        path = folder / f"{picture.name}.png"
        path.write_bytes(picture.png)
        written.append(str(path))
    return written
