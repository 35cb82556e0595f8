"""Advice on making a motion fit: lines for people, and data for scripts."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Self

from hil.run.station import Request
from hil.stations.platform.fit.command import Verb, command_line
from hil.stations.platform.fit.search import Fit
from hil.stations.platform.fit.units import UnitGuess
from hil.stations.platform.motion.motion_plugins import OWN_KINDS
from hil.stations.platform.motion.source import AXES
from hil.stations.platform.plan.scenario import Plan
from hil.stations.platform.proof.summaries import FitSummary, UnitSummary

NOTHING_FITS: Final = (
    "nothing makes it fit: about this neutral pose even a thousandth of it is refused"
)
NOT_LOOKED_FOR: Final = (
    "what would make it fit is not looked for: {!r} is a motion of another package"
)
DRAWN: Final = "what would make it fit is not looked for: the diagram says its motion"
TO_PASTE: Final = "which is, to paste:"


@dataclass(frozen=True, slots=True)
class Advice:
    """Changes that make a motion fit, for the person who asked."""

    lines: tuple[str, ...]
    """Lines for people; a command is on a line of its own."""
    data: FitSummary
    """Data for scripts."""

    @classmethod
    def of(cls, fit: Fit, verb: Verb, request: Request) -> Self:
        """Word a fit for the person who gave a command."""
        command = command_line(verb, request, fit.plan)
        lines = [*map(_unit_line, fit.guesses), *fit_lines(fit), TO_PASTE, command]
        if fit.as_said is not None:
            as_said = command_line(verb, request, fit.as_said.plan)
            lines += ["or, if the units are as they are said,", *fit_lines(fit.as_said)]
            lines += [TO_PASTE, as_said]
        return cls(tuple(lines), _data(fit, command))


def nothing_fits(plan: Plan) -> str:
    """Text where no advice is found."""
    kind = plan.scenario.motion.kind
    if kind == "diagram":
        return DRAWN
    return NOTHING_FITS if kind in OWN_KINDS else NOT_LOOKED_FOR.format(kind)


def fit_lines(fit: Fit) -> Iterator[str]:
    """Changes, and what limits the scale, a line each."""
    yield "it fits with"
    for change in fit.changes:
        yield f"  {change}"
    if len(fit.changes) > 1 and fit.share_alone < 1.0:
        yield f"  (by its scale alone about {fit.share_alone:.3g} of it fits)"
    if fit.refusal is not None:
        yield f"  (the largest scale: {fit.refused_scale:g} is refused, {fit.refusal.message})"


def _unit_line(guess: UnitGuess) -> str:
    """Line why a column is likely of another unit, with its remedy."""
    si = "m" if guess.axis in AXES[:3] else "rad"
    low, high = guess.low * guess.ratio, guess.high * guess.ratio
    return (
        f"column {guess.column!r} moves {guess.axis} by {guess.low:.4g} to {guess.high:.4g} {si}; "
        f"this rig gets {guess.reach:.2g} {si} far. In {guess.likely} it would be {low:.3g} "
        f"to {high:.3g} {si}. Is its unit {guess.likely}, not {guess.unit}? Then say so: "
        f"--map {guess.axis}={guess.column}:{guess.likely}, or in a scenario "
        f'motion.map.{guess.axis}.unit = "{guess.likely}"'
    )


def _data(fit: Fit, command: str) -> FitSummary:
    refusal = fit.refusal
    return FitSummary(
        changes=list(fit.changes),
        units=[
            UnitSummary(axis=one.axis, column=one.column, unit=one.unit, likely=one.likely)
            for one in fit.guesses
        ],
        refused_scale=fit.refused_scale,
        refused_by=None if refusal is None else refusal.message,
        command=command,
    )
