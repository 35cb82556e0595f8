"""Changes to a motion that the rig refuses, in `hil check` and `hil run`: advised or applied."""

from typing import Final

from hil.config.errors import RefusedError
from hil.run.station import Request
from hil.stations.platform.bench.run_sequence import RunResult
from hil.stations.platform.fit.fit_summaries import Advice, fit_lines, nothing_fits
from hil.stations.platform.fit.search import FITTED, Fit, find_fit
from hil.stations.platform.motion.source import MotionSource
from hil.stations.platform.plan.motion_build import motion_of
from hil.stations.platform.plan.scenario import Plan
from hil.stations.platform.proof.check import PlatformProof, check_plan
from hil.terminal.console import err, out
from safety.verdict import Check

FIT_FLAG: Final = "--fit"
MOTION_UNFIT: Final = "motion_unfit"
"""Code of the refusal of a motion that does not fit; value ``command``: one that makes it fit."""
SHOWN: Final = 12
"""Most findings that are printed; a script reads all of them from --json."""
OF_THE_MOTION: Final = frozenset({Check.POSITION, Check.SPEED, Check.ACCELERATION, Check.BRAKING})
"""Checks of the gate that a motion violates when it asks too much."""


class MotionRefusedError(RefusedError):
    """The proof refused a motion; nothing has moved.

    Args:
        motion: motion as it was proved.
    """

    def __init__(self, proof: PlatformProof, plan: Plan, motion: MotionSource) -> None:
        lines = "\n".join(finding.line for finding in proof.violations[:SHOWN])
        super().__init__(f"the motion was refused, nothing has moved:\n{lines}")
        self.plan, self.motion = plan, motion


def try_fit(plan: Plan, motion: MotionSource, *, quiet: bool) -> Fit | None:
    """Find changes that make a refused motion fit, with a notice: it takes a few proofs."""
    if not quiet:
        err.print("looking for what makes the motion fit: each try is a whole proof")
    return find_fit(plan, motion)


def fit_plan(plan: Plan, request: Request) -> Plan:
    """Plan for `hil run --fit`: unchanged if its motion fits, else with changes that make it fit.

    Raises:
        RefusedError: if nothing makes it fit, or a unit would have to be guessed.
    """
    motion = motion_of(plan)
    proof = check_plan(plan, motion)
    if proof.ok:
        return plan
    refused = MotionRefusedError(proof, plan, motion)
    fit = try_fit(plan, motion, quiet=request.as_json)
    if fit is None or fit.guesses:
        raise add_advice(refused, fit, request)
    if not request.as_json:
        for line in fit_lines(fit):
            err.print(line, soft_wrap=True)
    return fit.plan


def add_advice(refused: MotionRefusedError, fit: Fit | None, request: Request) -> RefusedError:
    """Refusal of `hil run` with the changes that make the motion fit."""
    if fit is None:
        return RefusedError(f"{refused}\n{nothing_fits(refused.plan)}")
    advice = Advice.of(fit, "run", request)
    text = "\n".join((str(refused), *advice.lines))
    return RefusedError(text, MOTION_UNFIT, command=advice.data["command"])


def find_fit_after(plan: Plan, result: RunResult, *, quiet: bool) -> Fit | None:
    """Find changes for a motion that the gate has stopped because it asked too much."""
    asked_too_much = any(one.check in OF_THE_MOTION for _, one in result.violations)
    changeable = plan.scenario.motion.kind in FITTED
    if result.ok or plan.scenario.faults or not (asked_too_much and changeable):
        return None
    motion = motion_of(plan)
    return None if check_plan(plan, motion).ok else try_fit(plan, motion, quiet=quiet)


def show_advice(advice: Advice | None) -> None:
    """Print the advice, if there is one; the command on one line."""
    for line in () if advice is None else advice.lines:
        out.print(line, soft_wrap=True)
