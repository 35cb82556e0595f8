"""Certificate of a rig: proofs of its drives, and whether they suffice to move fast.

It states observations, not requests: the test move of each leg, that each drive stopped by itself
when the bench fell silent, the proof of each leg's scale, and the answer of a person who watched.
Missing proofs are listed by name.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from drives.bank import BankReport
from hil.machines.rig.drive_fit import scales_of
from hil.machines.rig.drive_reference import (
    NotReferencedError,
    absolute_scales,
    load_reference,
    read_state,
    state_dir,
    write_state,
)
from hil.machines.rig.settings import Rig
from hil.stations.platform.drives.leg_test import LegTest
from hil.stations.platform.drives.watchdog_proof import WatchdogProof
from hil.stations.platform.plan.scenario import LegMovesSettings, Plan

SLOW_MAX = 0.3
"""Largest share of leg moves that need no certificate: they are how one gets it."""
SLOW_LEG_M_S = 0.05
"""Fastest of such moves, whatever the rig calls slow [m/s]."""
PARKED_M = 0.005
"""Most that a leg may be off its parked place for anything but slow moves [m]."""
INDEX_PULSE_METHODS = (33, 34)
"""Homing methods that give the place within one turn of the motor only (CiA 402-2)."""
QUESTION = (
    "Two legs whose motor cables and encoder cables are both swapped look right on the wire. "
    "Did the legs move one after the other, 1 to 6 as they are numbered on the machine, each "
    "growing and going back?"
)
"""Question that only a person who watches can answer."""


class NotCommissionedError(Exception):
    """Refusal to move real drives fast that nobody has seen move slowly."""


@dataclass(frozen=True, slots=True)
class Proofs:
    """Proofs of a rig's drives."""

    tests: tuple[LegTest, ...]
    """Test move of each leg, legs 1 to 6."""
    watchdog: WatchdogProof | None
    """Stopping times of the drives without frames; None where there is no wire to cut."""
    observer: str
    """Person who watched and answers `QUESTION` with yes; empty if nobody."""


def is_slow(plan: Plan) -> bool:
    """Whether a plan may run on drives that have no certificate yet."""
    motion = plan.scenario.motion
    if not isinstance(motion, LegMovesSettings) or motion.speed > SLOW_MAX:
        return False
    return motion.speed * plan.rig.slow_moves.speed_m_s <= SLOW_LEG_M_S * (1.0 + 1e-9)


def certificate_key(rig: Rig, report: BankReport) -> str:
    """Key of a certificate: digest of geometry, cylinders, wiring, and these drives."""
    parts = (
        rig.geometry.model_dump(mode="json"),
        rig.cylinders.model_dump(mode="json"),
        rig.drives.model_dump(mode="json"),
        list(report.identities),
    )
    return hashlib.sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()


def write_certificate(rig: Rig, report: BankReport, proofs: Proofs, *, stamp: str) -> Path:
    """Write the certificate of these proofs.

    Args:
        stamp: date and time, for people.

    Raises:
        OSError: if it cannot be written.
    """
    path = _certificate_path(rig, report)
    table = {
        "rig": rig.name,
        "drives": report.url,
        "simulated": report.simulated,
        "identities": list(report.identities),
        "stamp": stamp,
        "place": _place_words(rig),
        "scale": [_scale_words(rig, report, leg) for leg in range(1, 7)],
        "witness": {"question": QUESTION, "answer": bool(proofs.observer), "by": proofs.observer},
        "watchdog": None if proofs.watchdog is None else asdict(proofs.watchdog),
        "tests": [asdict(test) for test in proofs.tests],
    }
    return write_state(path, orjson.dumps(table, option=orjson.OPT_INDENT_2))


def lacking(rig: Rig, report: BankReport) -> list[str]:
    """Missing proofs that keep this rig with these drives from moving fast, in words.

    A certificate that cannot be read, that another user may have written, or that is of other
    drives, does not count.
    """
    try:
        table = orjson.loads(read_state(_certificate_path(rig, report)))
        same = table["identities"] == list(report.identities) and any(report.identities)
        found = list(_lacking_of(table)) if same else ["its slow test move"]
    except PermissionError as error:
        found = [f"a certificate that can be trusted: {error.strerror}"]
    except (OSError, ValueError, KeyError, TypeError):
        found = ["its slow test move, which catches swapped legs, a wrong sign or a wrong scale"]
    return found + list(_lacking_scales(rig, report))


def require_certificate(plan: Plan, report: BankReport) -> None:
    """Refuse to move real drives fast without proofs.

    Raises:
        NotCommissionedError: with the missing proofs, and the command that makes them.
    """
    if report.simulated or is_slow(plan):
        return
    missing = lacking(plan.rig, report)
    if missing:
        raise NotCommissionedError(
            f"the drives at {report.url} are not proved on the rig {plan.rig.name!r}: missing is "
            f"{'; '.join(missing)}. Only slow moves of single legs are allowed before; run\n"
            f"  hil drives test {plan.rig_file} --drives '{report.url}'"
        )


def _lacking_of(table: dict[str, Any]) -> Iterator[str]:
    """Proofs that a certificate lacks."""
    tests = table["tests"]
    if len(tests) != 6 or any(test["faults"] for test in tests):
        yield "its slow test move"
    watchdog = table["watchdog"]
    if watchdog is None or not WatchdogProof.of(watchdog).passed:
        yield "the proof that each drive stops by itself when the bench is silent"
    observer = table["witness"]
    if not (table["simulated"] or (observer["answer"] is True and observer["by"])):
        yield (
            "the word of a witness that no two legs have both cables swapped, which nobody can see "
            "from the wire (--witness NAME)"
        )


def _lacking_scales(rig: Rig, report: BankReport) -> Iterator[str]:
    unproved = [leg for leg in range(1, 7) if not _scale_words(rig, report, leg)]
    if unproved:
        legs = ", ".join(map(str, unproved))
        yield (
            f"the scale of leg {legs}: the drive tells none (608Fh, 6092h) that could be compared, "
            "and a wrong one agrees with its own feedback: measure a way with a ruler, or between "
            "two stops (hil drives reference)"
        )
    if rig.drives.homing_method in INDEX_PULSE_METHODS and rig.drives.homing == "switch":
        yield (
            f"a reference: homing method {rig.drives.homing_method} finds the next index pulse, "
            "one of many; a switch or an absolute encoder tells which"
        )


def _scale_words(rig: Rig, report: BankReport, leg: int) -> str:
    """Proof of the scale of a leg (1 to 6), in words; empty if there is none."""
    if report.scale_proved[leg - 1 : leg] == (True,):
        return "told by the drive"
    try:
        reference = load_reference(rig)
    except NotReferencedError:
        return ""
    who = "".join(report.identities[leg - 1 : leg])
    proof = None if reference is None or not who else reference.scale_of(leg, who)
    return "" if proof is None else f"measured {proof.how} by {proof.by}, {proof.stamp}"


def _place_words(rig: Rig) -> str:
    if rig.drives.homing == "absolute":
        return "absolute encoders, compared at each start with where the legs were left"
    return f"found by homing method {rig.drives.homing_method} at each start"


def _certificate_path(rig: Rig, report: BankReport) -> Path:
    return state_dir() / f"{rig.name}-{certificate_key(rig, report)[:16]}.json"


def all_passed(tests: Sequence[LegTest]) -> bool:
    """Whether all six legs passed the test move."""
    return len(tests) == 6 and not any(test.faults for test in tests)


def require_parked(plan: Plan, report: BankReport) -> None:
    """Refuse a fast run that would begin elsewhere than in the parked pose.

    Raises:
        NotReferencedError: with leg, distance and limit.
    """
    rig = plan.rig
    if rig.drives.homing != "absolute" or not report.counts or is_slow(plan):
        return
    scales = absolute_scales(rig, scales_of(rig))
    rows = zip(report.counts, scales, rig.cylinders.reference_length_m, strict=True)
    away = [scale.length_m(count) - parked_m for count, scale, parked_m in rows]
    far = [f"leg {leg} {off * 1e3:+.1f} mm" for leg, off in enumerate(away, 1)
           if not abs(off) <= PARKED_M]  # fmt: skip
    if far:
        raise NotReferencedError(
            f"the legs are not in the parked pose, from which motions are proved: {', '.join(far)} "
            f"(at most {PARKED_M * 1e3:g} mm); first: hil drives park {plan.rig_file}"
        )
