"""``hil arm simplify``: what may be left out of the space arm, with tables and verdicts."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from hil.config.errors import ConfigError
from hil.stations.arm.commands.space_arms import (
    PAYLOAD_MOST_KG,
    ArmArg,
    Load,
    loads_of,
    models_of,
    space_arm_of,
)
from hil.terminal.console import Json, leave, out, print_json, verb
from hil_arm_study.commands import make_pictures_folder, progress, write_pictures

if TYPE_CHECKING:
    from hil.machines.space_arm.settings import ArmSettings
    from hil_arm_study.simplify import OmissionRow, SimplifyPlan
    from hil_arm_study.verdicts import SentenceVerdict

GRID_KG = (300.0, 1000.0, 3000.0, 10_000.0, 30_000.0)
"""Masses that a range of payloads is divided by, beside those of the arm's file."""
SPEED_MOST = 10.0
STARTS_MOST = 1000


class SimplifySummary(TypedDict):
    """Errors of everything that may be left out of a space arm's simulation."""

    ok: bool
    """Every motion has a solution."""
    arm: str
    """Its name."""
    bound: str
    """Error that is allowed."""
    motions: dict[str, list[str]]
    """Names of the motions, by the factor on their speeds."""
    rows: list[OmissionRow]
    """An omission with a model, a speed and a payload each."""
    verdicts: list[SentenceVerdict]
    """How far each claim holds, those of 1993 first."""
    written: list[str]
    """Files of pictures."""


@verb
def simplify(
    arm: ArmArg,
    bound: Annotated[
        str,
        typer.Option("--bound", metavar="%|MM", help="Error allowed: 0.5% of the range, or 2mm."),
    ] = "0.5%",
    payload: Annotated[
        str,
        typer.Option(
            "--payload",
            metavar="FROM:TO|none|NAME|KG|NAME@KG,…",
            help="Payloads: a range in kg (0:30000), or a list of masses and names of the arm's "
            "file; heavy@3000 has the shape of one and another mass.",
        ),
    ] = "0:30000",
    speed: Annotated[
        str,
        typer.Option(
            "--speed", metavar="F1,…", help="Factors on the slow motions' speeds (1 is 50 mm/s)."
        ),
    ] = "1,2",
    model: Annotated[
        str, typer.Option("--model", metavar="a,…,e", help="Drive models; c to e take much longer.")
    ] = "a,b",
    starts: Annotated[
        int,
        typer.Option("--starts", min=1, max=STARTS_MOST, help="Motions, each from its own start."),
    ] = 50,
    pictures: Annotated[
        Path | None, typer.Option("--pictures", help="Write a picture there as well.")
    ] = None,
    as_json: Json = False,
) -> None:
    """What may be left out of a space arm's simulation: errors over payloads and speeds, verdicts.

    Exit status 1 if a motion has no solution. Ctrl-C gives up.
    """
    from hil_arm_study.simplify import examine_all, make_rows
    from hil_arm_study.simplify_show import print_rows, print_verdicts
    from hil_arm_study.verdicts import verdicts

    settings = space_arm_of(arm)
    plan = _plan(settings, model, payload, speed, starts, bound)
    if pictures is not None:
        make_pictures_folder(pictures)
    cases = plan.cases()
    with progress(len(cases), f"{len(cases)} motions, each with all omissions") as tell:
        rows = make_rows(plan, examine_all(cases, tell=tell))
    judged = verdicts(plan, rows)
    written = list[str]()
    if pictures is not None:
        from hil_arm_study.simplify_picture import omissions_picture

        written = write_pictures(pictures, [omissions_picture(plan, rows)])
    ok = not any(row.failed for row in rows)
    if as_json:
        print_json(
            SimplifySummary(
                ok=ok, arm=settings.name, bound=str(plan.bound),
                motions={f"{s:g}": [one.name for one in m] for s, m in plan.motions.items()},
                rows=rows, verdicts=judged, written=written,
            )
        )  # fmt: skip
    else:
        print_rows(plan, rows)
        print_verdicts(judged)
        for path in written:
            out.print(path, soft_wrap=True)
    leave(ok)


def _plan(
    settings: ArmSettings, model: str, payload: str, speed: str, starts: int, bound: str
) -> SimplifyPlan:
    from hil_arm_study.motions import drawn_motions
    from hil_arm_study.simplify import SimplifyPlan
    from sim.world.space_arm.error_bound import ErrorBound

    try:
        allowed = ErrorBound.parse(bound)
    except ValueError as error:
        raise ConfigError("--bound", [str(error)]) from None
    arm = settings.arm()
    models, loads, speeds = (
        models_of(model, arm), payloads_of(settings, payload), speeds_of(speed),
    )  # fmt: skip
    hold_by_brakes(settings, loads, max(speeds))
    try:
        motions = {s: drawn_motions(arm, settings.home_rad(), starts, s) for s in speeds}
    except ValueError as error:
        raise ConfigError(settings.name, [str(error)]) from None
    return SimplifyPlan(arm, models, loads, motions, allowed)


def payloads_of(settings: ArmSettings, text: str) -> tuple[Load, ...]:
    """Return the payloads of a range or a list, the lightest first.

    Raises:
        ConfigError: if a mass is negative or too large, or a range is reversed.
    """
    if ":" not in text:
        return tuple(sorted(loads_of(settings, text), key=lambda load: load.mass_kg))
    ends = [part.strip() for part in text.split(":")]
    try:
        low, high = map(float, ends)
    except ValueError:
        raise ConfigError(
            "--payload", [f"{text!r}: two masses in kg are needed (0:30000)"]
        ) from None
    if not 0.0 <= low < high <= PAYLOAD_MOST_KG:
        reason = f"{text!r}: from 0 kg or more up to a larger mass, at most {PAYLOAD_MOST_KG:g} kg"
        raise ConfigError("--payload", [reason])
    named = [body.mass_kg for body in settings.payloads().values()]
    between = {mass for mass in (*GRID_KG, *named) if low < mass < high}
    masses = sorted({low, high, *between})
    words = ("none" if mass == 0.0 else f"{mass:.15g}" for mass in masses)
    return loads_of(settings, ",".join(words))


def speeds_of(text: str) -> tuple[float, ...]:
    """Return the factors of ``--speed``, the slowest first.

    Raises:
        ConfigError: if one is no number above 0, or too large.
    """
    found = set[float]()
    for word in text.split(","):
        try:
            value = float(word)
        except ValueError:
            value = math.nan
        if not 0.0 < value <= SPEED_MOST:
            raise ConfigError(
                "--speed", [f"{word.strip()!r}: above 0, at most {SPEED_MOST:g} is needed"]
            )
        found.add(value)
    return tuple(sorted(found))


def hold_by_brakes(settings: ArmSettings, loads: tuple[Load, ...], speed: float) -> None:
    """Refuse payloads that the brakes do not hold.

    Raises:
        ConfigError: with joint, load and the heaviest payload of that shape.
    """
    import numpy as np

    from hil_arm_study.motions import SPEED_M_S
    from sim.world.space_arm.brake_hold import brake_load, heaviest_kg
    from sim.world.space_arm.simulator import levers_m

    arm, home = settings.arm(), settings.home_rad()
    fastest = np.array([link.rate_max_rad_s for link in arm.links])
    rates = np.minimum(speed * SPEED_M_S / levers_m(arm), fastest)
    for load in loads:
        worst = brake_load(arm, load.body, home, rates)
        if worst.share <= 1.0:
            continue
        said = f"{load.mass_kg:g} kg: {worst.joint} needs {worst.share:.3g} times what its brake"
        if load.body is None:
            raise ConfigError("--payload", [f"{said} holds, with nothing in the gripper"])
        most = heaviest_kg(arm, load.body, home, rates, load.mass_kg)
        raise ConfigError("--payload", [f"{said} holds; of this shape at most {most:.4g} kg"])
