"""The slow test move: does each drive move the leg that it should, the right way, by the right way?

Each leg in turn goes out and back by a way of its own while the others stand. What is judged is the
recording: the leg that was led must have moved by what was asked, no other may have moved, its home
switch must have been left, and the pose that follows from the measured lengths must be the one that
was wanted. Two cables swapped at the motor *and* at the encoder cannot be seen from the wire; only
a person who watches can tell, so the person's word is part of the record.

A rig whose test move was passed gets a certificate; real drives are not moved fast without one.
"""

import hashlib
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from drives.bank import BankReport
from hil.machine import soft_range_m
from hil.recording.reader import Recording
from hil.rig import Rig
from hil.scenario import LegMovesSettings, Plan

TEST_SPEED = 0.2
"""Share of the slow moves' bounds."""
SLOW_MAX = 0.3
"""Leg moves up to this share are allowed without a certificate: they are how one gets it."""
SLOW_LEG_M_S = 0.05
"""Nor may they be faster than this, whatever the rig calls slow [m/s]."""
STEP_M = 0.001
"""Leg k goes out by `FIRST_WAY_M` + (k - 1) times this, so that no two legs look alike."""
FIRST_WAY_M = 0.005
TOLERANCE_M = 0.0005
"""How far from what was asked a leg may be at the end of its way, or a standing leg may stir."""
POSE_TOLERANCE_M = 0.002
POSE_TOLERANCE_RAD = math.radians(0.3)
HOME_SWITCH = 1 << 2
"""Bit of 60FDh (CiA 402)."""


class NotCommissionedError(Exception):
    """Real drives that nobody has seen move slowly are not moved fast."""


@dataclass(frozen=True, slots=True)
class LegTest:
    """What one leg did when it was led.

    Args:
        leg: 1 to 6.
        asked_m: way that it was led by [m].
        measured_m: way that it reported [m].
        others_m: most that another leg stirred meanwhile [m].
        switch_left: whether it left its home switch; None if the switch is not read.
        faults: what is wrong, in words; empty if nothing is.
    """

    leg: int
    asked_m: float
    measured_m: float
    others_m: float
    switch_left: bool | None
    faults: tuple[str, ...]


def leg_test_motion(rig: Rig, legs: Sequence[int] = (1, 2, 3, 4, 5, 6)) -> dict[str, Any]:
    """The ``[motion]`` table of the test move for a rig."""
    to: list[dict[str, Any]] = []
    for leg in legs:
        offsets = [0.0] * 6
        offsets[leg - 1] = _way_m(rig, leg)
        to += [{"offsets_m": offsets, "dwell_s": 0.5}, {"offsets_m": 0.0, "dwell_s": 0.3}]
    return {"kind": "legs", "speed": slow_share(rig, TEST_SPEED), "to": to}


def slow_share(rig: Rig, share: float) -> float:
    """A share of the rig's slow moves, less if that is faster than legs may be led at first."""
    return min(share, SLOW_LEG_M_S / rig.slow_moves.speed_m_s)


def _way_m(rig: Rig, leg: int) -> float:
    """Way of a leg in the test move: outwards, or inwards if there is no room outside."""
    low, high = soft_range_m(rig, leg - 1)
    reference = rig.cylinders.reference_length_m[leg - 1]
    way = FIRST_WAY_M + (leg - 1) * STEP_M
    return way if reference + way < high else -min(way, 0.5 * (reference - low))


def judge_test_move(recording: Recording) -> tuple[LegTest, ...]:
    """What each led leg did in a recorded test move, in the order in which they were led.

    Returns:
        One entry per way out; empty if the recording holds none.
    """
    engaged = recording.column("mode") == recording.modes.index("ENGAGED")
    asked = recording.column("asked_length_m")[engaged]
    measured = recording.column("measured_length_m")[engaged]
    inputs = recording.column("measured_inputs_bits")[engaged]
    pose_error = _pose_error(recording, engaged)
    found: list[LegTest] = []
    if len(asked):
        offset, moved = asked - asked[0], measured - measured[0]
        for leg, rows in _plateaus(offset):
            end = rows[-1]
            found.append(_judge_leg(leg, offset[end], moved[end], inputs[end], pose_error[end]))
    return tuple(found)


def _plateaus(offset: NDArray[np.float64]) -> Iterator[tuple[int, NDArray[np.int_]]]:
    """Where one leg stands out: its index and the rows of its dwell, in order."""
    steady = np.zeros(len(offset), dtype=bool)
    steady[1:] = np.abs(np.diff(offset, axis=0)).max(axis=1) < 1e-9
    out = steady & (np.abs(offset).max(axis=1) > TOLERANCE_M)
    edges = np.flatnonzero(np.diff(np.concatenate(([0], out.astype(np.int8), [0]))))
    for begin, end in edges.reshape(-1, 2):
        yield int(np.abs(offset[begin]).argmax()), np.arange(begin, end)


def _pose_error(recording: Recording, rows: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Distance [m] and angle [rad] from the wanted to the last known reached pose, (N, 2)."""
    wanted = recording.column("wanted_pose")[rows]
    reached = recording.column("reached_pose")[rows]
    known = np.isfinite(reached).all(axis=1)
    last = np.maximum.accumulate(np.where(known, np.arange(len(reached)), 0))
    reached = reached[last]
    errors = np.full((len(wanted), 2), math.nan)
    both = np.isfinite(wanted).all(axis=1) & np.isfinite(reached).all(axis=1)
    if both.any():
        turn_rad = _turn_rad(wanted[both], reached[both])
        way = np.linalg.norm(wanted[both, :3] - reached[both, :3], axis=1)
        errors[both] = np.column_stack((way, turn_rad))
    return errors


def _turn_rad(before: NDArray[np.float64], after: NDArray[np.float64]) -> NDArray[np.float64]:
    """Angle between the orientations of poses, (N, 6) each [rad], (N,)."""
    # Slow to load, and every run asks this module for a certificate, but few make a test move.
    from scipy.spatial.transform import Rotation

    first, second = (Rotation.from_euler("ZYX", poses[:, 3:]) for poses in (before, after))
    return (first.inv() * second).magnitude()


def _judge_leg(
    index: int,
    offset: NDArray[np.float64],
    moved: NDArray[np.float64],
    inputs: NDArray[np.float64],
    pose_error: NDArray[np.float64],
) -> LegTest:
    asked_m, measured_m = float(offset[index]), float(moved[index])
    others = np.delete(moved - offset, index)
    others_m = float(np.abs(others).max())
    read = math.isfinite(inputs[index])
    left = not int(inputs[index]) & HOME_SWITCH if read else None
    faults: list[str] = []
    limit = f"{TOLERANCE_M * 1e3:.1f} mm"
    if not abs(measured_m - asked_m) <= TOLERANCE_M:
        faults.append(f"moved {_mm(measured_m)} mm instead of {_mm(asked_m)} mm (within {limit})")
    if not others_m <= TOLERANCE_M:
        other = int(np.abs(np.delete(moved - offset, index)).argmax())
        other += other >= index
        faults.append(f"leg {other + 1} stirred by {others_m * 1e3:.2f} mm (at most {limit})")
    if left is False and asked_m > 0.0:
        faults.append("is still on its home switch: it went the wrong way, or hardly moved")
    way_m, turn_rad = pose_error
    if not (way_m <= POSE_TOLERANCE_M and turn_rad <= POSE_TOLERANCE_RAD):
        faults.append(
            f"left the platform {way_m * 1e3:.1f} mm and {math.degrees(turn_rad):.2f} deg from "
            f"where it should be (at most {POSE_TOLERANCE_M * 1e3:.0f} mm, 0.3 deg)"
        )
    return LegTest(index + 1, asked_m, measured_m, others_m, left, tuple(faults))


def _mm(way_m: float) -> str:
    return f"{round(way_m * 1e3, 2) + 0.0:.2f}"  # no minus sign before a nought


def is_slow(plan: Plan) -> bool:
    """Whether a plan may run on drives that have no certificate yet."""
    motion = plan.scenario.motion
    if not isinstance(motion, LegMovesSettings) or motion.speed > SLOW_MAX:
        return False
    return motion.speed * plan.rig.slow_moves.speed_m_s <= SLOW_LEG_M_S * (1.0 + 1e-9)


def certificate_key(rig: Rig, report: BankReport) -> str:
    """What a certificate holds for: this rig's geometry, cylinders and wiring, and these drives."""
    parts = (
        rig.geometry.model_dump(mode="json"),
        rig.cylinders.model_dump(mode="json"),
        rig.drives.model_dump(mode="json"),
        list(report.identities),
    )
    return hashlib.sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()


def certificates_dir() -> Path:
    """Where certificates are kept (the XDG state directory)."""
    base = os.environ.get("XDG_STATE_HOME")
    return Path(base or Path.home() / ".local" / "state") / "hil" / "commissioned"


def write_certificate(
    rig: Rig, report: BankReport, tests: Sequence[LegTest], *, witnessed: bool, stamp: str
) -> Path:
    """Keep the proof that the test move was passed.

    Args:
        rig: the rig.
        report: what its drives said of themselves.
        tests: what each leg did.
        witnessed: a person watched the legs and agreed.
        stamp: date and time, for people.

    Raises:
        OSError: if it cannot be written.
    """
    path = _certificate_path(rig, report)
    path.parent.mkdir(parents=True, exist_ok=True)
    table = {
        "rig": rig.name,
        "drives": report.url,
        "simulated": report.simulated,
        "identities": list(report.identities),
        "witnessed": witnessed,
        "stamp": stamp,
        "tests": [asdict(test) for test in tests],
    }
    part = path.with_suffix(".part")
    part.write_bytes(orjson.dumps(table, option=orjson.OPT_INDENT_2))
    part.replace(path)  # whole or not at all
    return path


def has_certificate(rig: Rig, report: BankReport) -> bool:
    """Whether this rig with these drives has passed its test move.

    A file that cannot be read, or that tells of other drives, of faults or of no witness, is none.
    """
    try:
        table = orjson.loads(_certificate_path(rig, report).read_bytes())
        tests, vouched = table["tests"], table["witnessed"] or table["simulated"]
        same = table["identities"] == list(report.identities)
        passed = len(tests) == 6 and not any(test["faults"] for test in tests)
        return bool(any(report.identities) and same and passed and vouched)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def require_certificate(plan: Plan, report: BankReport) -> None:
    """Refuse to move real drives fast that have not passed their slow test move.

    Raises:
        NotCommissionedError: with the command that makes the test move; or with the legs whose
            scale nobody has proved, since a wrong one agrees with its own feedback.
    """
    if report.simulated or is_slow(plan):
        return
    unproved = [str(leg) for leg, proved in enumerate(report.scale_proved, start=1) if not proved]
    if unproved:
        raise NotCommissionedError(
            f"the drives of leg {', '.join(unproved)} tell no scale of their own (608Fh, 6092h), "
            f"so counts_per_m of the rig {plan.rig.name!r} is proved by nobody: jog each leg, "
            "measure its way with a ruler, then set drives.canopen.scale_told = false"
        )
    if has_certificate(plan.rig, report):
        return
    raise NotCommissionedError(
        f"the drives at {report.url} have not passed the slow test move on the rig "
        f"{plan.rig.name!r}, which catches swapped legs, a wrong sign or a wrong scale; first run\n"
        f"  hil drives test {plan.rig_file} --drives '{report.url}'"
    )


def _certificate_path(rig: Rig, report: BankReport) -> Path:
    return certificates_dir() / f"{rig.name}-{certificate_key(rig, report)[:16]}.json"
