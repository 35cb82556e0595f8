"""Verdicts on the sentences of 1993 about what may be left out, and on a bound of one's own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hil_arm_study.omitted_runs import ALL_AT_ONCE, MATRIX_PER_TICK, NOTHING
from hil_arm_study.simplify import OmissionRow, SimplifyPlan
from hil_arm_study.targets import PUBLISHED
from sim.world.space_arm.drive import DriveModel
from sim.world.space_arm.omissions import Omission
from sim.world.space_arm.simplified_arms import HEAVY_PAYLOAD

CORIOLIS_MM = 2.5
"""Error of a motion without Coriolis torques, as published."""
MASSLESS_PERCENT = 1.0
"""Error with massless links above three arm masses, as published: 0.5 to 1.0 %."""
JUDGED = 0.5
"""Least share of ticks with a known reference at which a row is judged."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A claim about an omission."""

    text: str
    """Claim, in words."""
    omitted: str
    """Name of the variant."""
    limit: float
    """Largest error that it allows."""
    percent: bool
    """Whether the limit is in percent of the range, else in mm."""
    above_kg: float = 0.0
    """Payload above which it is made."""


@dataclass(frozen=True, slots=True)
class SentenceVerdict:
    """How far a claim holds, with one drive model at one speed."""

    sentence: str
    """Claim, in words."""
    model: str
    """Letter of the drive model."""
    speed: float
    """Factor on the speeds of the slow motions."""
    omitted: str
    """Things that are left out."""
    limit: float
    """Largest error that the claim allows."""
    unit: str
    """Unit of limit and errors."""
    holds_to_kg: float | None
    """Largest payload up to which the claim holds at every one; null if at none."""
    error_there: float | None
    """Largest error at that payload and below."""
    fails_at_kg: float | None
    """Least payload at which the claim fails, or cannot be judged; null if there is none."""
    error_at_failure: float | None
    """Error at that payload; null where too few ticks have a known reference."""
    known_ticks: float
    """Least share of ticks with a known reference, over all payloads of the claim."""


def sentences_of(plan: SimplifyPlan, model: DriveModel, omitted: Sequence[str]) -> list[Sentence]:
    """List the claims of 1993, and that of the plan's bound for each omission."""
    heavy_kg = HEAVY_PAYLOAD * plan.arm.mass_kg
    old = PUBLISHED.get(model, PUBLISHED[DriveModel.D])
    held = f"coefficients once a tick: at most {old.position_mm:g} mm"
    found = [
        Sentence(
            f"no Coriolis: at most {CORIOLIS_MM:g} mm", Omission.CORIOLIS.value, CORIOLIS_MM, False
        ),
        Sentence(
            f"massless links above 3 arm masses: at most {MASSLESS_PERCENT:g} %",
            Omission.MASSLESS_LINKS.value, MASSLESS_PERCENT, True, heavy_kg,
        ),
        Sentence(held, Omission.COEFFICIENTS.value, old.position_mm, False),
        Sentence(held, MATRIX_PER_TICK, old.position_mm, False),
        Sentence(
            f"all at once: at most {old.position_mm:g} mm", ALL_AT_ONCE, old.position_mm, False
        ),
        Sentence(f"all at once: at most {old.percent:g} %", ALL_AT_ONCE, old.percent, True),
    ]  # fmt: skip
    bound = plan.bound
    found += [Sentence(f"within {bound}", name, bound.value, bound.percent) for name in omitted]
    return [one for one in found if one.omitted in {*omitted, NOTHING}]


def verdicts(plan: SimplifyPlan, rows: Sequence[OmissionRow]) -> list[SentenceVerdict]:
    """Judge every claim with each drive model at each speed."""
    found = list[SentenceVerdict]()
    for model in plan.models:
        for speed in plan.motions:
            here = [row for row in rows if row.model == model.value and row.speed == speed]
            names = list(dict.fromkeys(row.omitted for row in here))
            for sentence in sentences_of(plan, model, names):
                found += _judge(sentence, here)
    return found


def _judge(sentence: Sentence, rows: Sequence[OmissionRow]) -> Iterator[SentenceVerdict]:
    """Judge a claim over the payloads of which it is made, from the lightest on."""
    made = sorted(
        (r for r in rows if r.omitted == sentence.omitted and r.payload_kg >= sentence.above_kg),
        key=lambda row: row.payload_kg,
    )
    if not made:
        return
    held, failing = list[OmissionRow](), None
    for row in made:
        if not (_known(row) and _error(sentence, row) <= sentence.limit):
            failing = row
            break
        held.append(row)
    yield SentenceVerdict(
        sentence=sentence.text, model=made[0].model, speed=made[0].speed,
        omitted=sentence.omitted, limit=sentence.limit, unit="%" if sentence.percent else "mm",
        holds_to_kg=held[-1].payload_kg if held else None,
        error_there=max(_error(sentence, row) for row in held) if held else None,
        fails_at_kg=None if failing is None else failing.payload_kg,
        error_at_failure=(
            None if failing is None or not _known(failing) else _error(sentence, failing)
        ),
        known_ticks=min(row.known_ticks for row in made),
    )  # fmt: skip


def _known(row: OmissionRow) -> bool:
    return row.failed == 0 and row.known_ticks >= JUDGED


def _error(sentence: Sentence, row: OmissionRow) -> float:
    return row.known_max_percent if sentence.percent else row.known_max_mm
