"""Measurements of a rig's drives by a person: origin of absolute encoders, and scales.

Kept in the state folder beside the certificate, with the drives that it was measured with. The
place where the legs were left has a file of its own, which the gate's process writes at its end
and removes while it works: where it is missing, the last session did not end in order.
"""

import hashlib
import math
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import orjson

from drives.axes.count_circle import COUNTS, WHOLE_RANGE, difference, wrapped
from drives.axes.known_place import KnownPlace
from drives.axes.scaling import LegScale
from hil.config.files import read_trusted, write_whole
from hil.machines.rig.drive_fit import scales_of
from hil.machines.rig.settings import Rig

SPAN_MIN_M = 0.02
"""Least distance of two points that prove a scale [m]: a ruler reads half a millimetre."""
SCALE_TOLERANCE = 0.02
"""Largest difference of measured and counted travel, as a share."""


class NotReferencedError(Exception):
    """Refusal because no measurement of the legs' place exists, or none that still holds."""


@dataclass(frozen=True, slots=True)
class MeasuredPoint:
    """Length measured by a person, and the drive's count there."""

    counts: int
    """Position of the drive [counts]."""
    length_m: float
    """Length of the leg, joint to joint [m]."""
    how: str
    """Method: on which stop, or with a ruler."""
    by: str
    """Person who measured."""
    stamp: str
    """Date and time of the measurement."""


@dataclass(frozen=True, slots=True)
class ScaleProof:
    """Proof that a drive counts as the rig says."""

    how: str
    """Method: between stops, or with a ruler."""
    ratio: float
    """Travel by the drive's count over measured travel."""
    by: str
    """Person who measured."""
    stamp: str
    """Date and time of the measurement."""


@dataclass(frozen=True, slots=True)
class LegReference:
    """Measurements of one leg."""

    identity: str
    """Identity of the drive that was there."""
    points: tuple[MeasuredPoint, ...] = ()
    """Measured points, at most two, the newest last; they give the encoder's origin."""
    scale: ScaleProof | None = None
    """Proof of the scale, if there is one."""


@dataclass(frozen=True, slots=True)
class Reference:
    """Measurements of a rig."""

    digest: str
    """Digest of the parts of the rig's file that it holds for."""
    legs: tuple[LegReference | None, ...] = field(default=(None,) * 6)
    """Legs 1 to 6; None where nothing was measured."""
    void: str = ""
    """Reason why it does not hold any more; empty while it does."""

    def with_leg(self, leg: int, measured: LegReference) -> "Reference":
        """Copy with another leg (1 to 6)."""
        legs = list(self.legs)
        legs[leg - 1] = measured
        return replace(self, legs=tuple(legs))

    def scale_of(self, leg: int, identity: str) -> ScaleProof | None:
        """Proof of a leg's scale (1 to 6), if it was made with this drive."""
        measured = self.legs[leg - 1]
        return measured.scale if measured is not None and measured.identity == identity else None


STATE_MAX_BYTES = 1_000_000
"""Largest certificate, reference or place that is read [bytes]; they have a few thousand."""


def state_dir() -> Path:
    """Folder of certificates, references and places (the XDG state directory)."""
    base = os.environ.get("XDG_STATE_HOME")
    return Path(base or Path.home() / ".local" / "state") / "hil" / "commissioned"


def read_state(path: Path) -> bytes:
    """Read a file of `state_dir`, by which drives are moved.

    Raises:
        OSError: if it cannot be read; `PermissionError` if another user may have written it.
    """
    return read_trusted(path, STATE_MAX_BYTES)


def write_state(path: Path, data: bytes) -> Path:
    """Write a file of `state_dir`, for this user alone; returns its path.

    Raises:
        OSError: if it cannot be written.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_whole(path, data, private=True)
    return path


def reference_path(rig: Rig) -> Path:
    """Path of the measurements of a rig."""
    return state_dir() / f"{rig.name}.reference.json"


def place_path(rig: Rig) -> Path:
    """Path of the place where a rig's legs were left."""
    return state_dir() / f"{rig.name}.place.json"


def rig_digest(rig: Rig) -> str:
    """Digest of all that makes a measured count a length: scales, signs, nodes, strokes."""
    drives, cylinders = rig.drives, rig.cylinders
    parts = (
        drives.counts_per_m,
        drives.sign,
        drives.canopen.node_ids,
        drives.canopen.bus_of_leg,
        cylinders.closed_length_m,
        cylinders.stroke_m,
        cylinders.reference_length_m,
    )
    return hashlib.sha256(orjson.dumps(parts)).hexdigest()


def load_reference(rig: Rig) -> Reference | None:
    """Measurements of a rig; None if there are none.

    Raises:
        NotReferencedError: if it cannot be read, or was measured with another file of the rig.
    """
    path = reference_path(rig)
    try:
        table = orjson.loads(read_state(path))
        legs = tuple(None if leg is None else _leg(leg) for leg in table["legs"])
        reference = Reference(table["digest"], legs, table["void"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NotReferencedError(f"{path}: cannot be read: {error!r:.300}") from None
    if len(reference.legs) != 6:
        raise NotReferencedError(f"{path}: tells of {len(reference.legs)} legs, not of 6")
    if reference.digest != rig_digest(rig):
        raise NotReferencedError(
            f"the rig {rig.name!r} has other scales, signs, nodes or strokes than when its legs "
            "were measured: measure anew"
        )
    return reference


def save_reference(rig: Rig, reference: Reference) -> Path:
    """Write the measurements of a rig.

    Raises:
        OSError: if it cannot be written.
    """
    table = {"rig": rig.name, **asdict(reference)}
    return write_state(reference_path(rig), orjson.dumps(table, option=orjson.OPT_INDENT_2))


def save_place(rig: Rig, length_m: Sequence[float]) -> Path:
    """Write where the legs are [m], 6.

    Raises:
        OSError: if it cannot be written.
    """
    return write_state(place_path(rig), orjson.dumps({"length_m": list(length_m)}))


def void_reference(rig: Rig, why: str) -> None:
    """Mark the measurements as void, if there are any.

    Raises:
        OSError: if it cannot be written.
    """
    try:
        reference = load_reference(rig)
    except NotReferencedError:
        return
    if reference is not None and not reference.void:
        save_reference(rig, replace(reference, void=why))


def add_point(rig: Rig, measured: LegReference, leg: int, point: MeasuredPoint) -> LegReference:
    """Measurements of a leg (1 to 6) with one more point.

    Raises:
        NotReferencedError: if it contradicts the scale or the stroke of the rig; nothing is kept.
    """
    closed_m, stroke_m = rig.cylinders.closed_length_m[leg - 1], rig.cylinders.stroke_m[leg - 1]
    if not closed_m - 0.01 <= point.length_m <= closed_m + stroke_m + 0.01:
        raise NotReferencedError(
            f"leg {leg}: {point.length_m:g} m lies outside of its stroke, "
            f"{closed_m:g} to {closed_m + stroke_m:g} m"
        )
    stroke_counts = stroke_m * rig.drives.counts_per_m[leg - 1]
    if not stroke_counts < COUNTS / 2:
        raise NotReferencedError(
            f"leg {leg}: its stroke of {stroke_m:g} m is {stroke_counts:.4g} counts, and no count "
            f"of 32 bits says where in it the rod is: at most {COUNTS // 2} counts would do"
        )
    far = [p for p in measured.points if abs(p.length_m - point.length_m) >= SPAN_MIN_M]
    if not far:
        return replace(measured, points=(point,))
    other = far[-1]
    drive_m = difference(point.counts, other.counts) * rig.drives.sign[leg - 1]
    drive_m /= rig.drives.counts_per_m[leg - 1]
    how = "between stops" if {"stop" in p.how for p in (point, other)} == {True} else "with a ruler"
    measured_m = point.length_m - other.length_m
    try:
        proof = prove_scale(leg, drive_m, measured_m, how, point.by, point.stamp)
    except NotReferencedError as error:
        raise NotReferencedError(
            f"{error}; or what {other.by} measured before ({other.length_m:.4f} m, {other.how}) "
            "does not hold any more: --anew forgets it"
        ) from error
    return replace(measured, points=(other, point), scale=proof)


def prove_scale(
    leg: int, drive_m: float, measured_m: float, how: str, by: str, stamp: str
) -> ScaleProof:
    """Compare the travel by a drive's count with the measured one [m].

    Raises:
        NotReferencedError: if the travel is too short, or they differ.
    """
    if not abs(measured_m) >= SPAN_MIN_M:
        raise NotReferencedError(
            f"leg {leg}: a way of {measured_m * 1e3:.1f} mm proves no scale, "
            f"{SPAN_MIN_M * 1e3:g} mm or more does"
        )
    ratio = drive_m / measured_m
    if not abs(ratio - 1.0) <= SCALE_TOLERANCE or not math.isfinite(ratio):
        raise NotReferencedError(
            f"leg {leg}: the drive told {drive_m * 1e3:.2f} mm where {measured_m * 1e3:.2f} mm "
            f"were measured, {ratio:.4g} times as much (within {SCALE_TOLERANCE:.0%}): "
            "counts_per_m or sign of the rig is wrong"
        )
    return ScaleProof(how, ratio, by, stamp)


def absolute_scales(rig: Rig, scales: Sequence[LegScale]) -> tuple[LegScale, ...]:
    """Scales with origins where the legs were measured.

    Raises:
        NotReferencedError: if a leg was not measured.
    """
    reference = _whole(rig)
    found: list[LegScale] = []
    for scale, measured in zip(scales, reference, strict=True):
        point = measured.points[-1]
        found.append(
            replace(scale, reference_length_m=point.length_m, reference_count=point.counts)
        )
    return tuple(found)


def count_goes_round(rig: Rig) -> bool:
    """Whether the count of a drive wraps around within the stroke of its leg.

    Such a drive cannot have software limits. A rig that was not measured is taken not to wrap.
    """
    if rig.drives.homing != "absolute":
        return False
    try:
        scales = absolute_scales(rig, scales_of(rig))
    except NotReferencedError:
        return False
    rows = zip(scales, rig.cylinders.closed_length_m, rig.cylinders.stroke_m, strict=True)
    return any(
        scale.range_counts(closed_m, closed_m + stroke_m) == WHOLE_RANGE
        for scale, closed_m, stroke_m in rows
    )


def known_place(rig: Rig) -> KnownPlace:
    """Place of the legs at a start: where they were left, else the parked pose.

    Raises:
        NotReferencedError: if that is not known.
    """
    legs = _whole(rig)
    left_m = _left_m(rig)
    where = "where the last run left it"
    if left_m is None:
        left_m, where = (
            rig.cylinders.reference_length_m,
            ("its parked place; where the last run left it was not recorded"),
        )
    a, b, c, d, e, f = left_m
    tolerance_m = rig.drives.place_tolerance_m
    return KnownPlace((a, b, c, d, e, f), tolerance_m, where, tuple(leg.identity for leg in legs))


def _whole(rig: Rig) -> tuple[LegReference, ...]:
    """All six legs of a reference that holds."""
    reference = load_reference(rig)
    remedy = "hil drives reference RIG --at inner --by NAME, with the file of the rig"
    if reference is None:
        text = f"the rig {rig.name!r} has absolute encoders, and nobody has measured its legs"
        raise NotReferencedError(f"{text}: {remedy}")
    if reference.void:
        text = f"what was measured of the rig {rig.name!r} is void: {reference.void}"
        raise NotReferencedError(f"{text}: {remedy}")
    legs = tuple(leg for leg in reference.legs if leg is not None and leg.points)
    if len(legs) < 6:
        missing = [str(n) for n, leg in enumerate(reference.legs, 1) if not leg or not leg.points]
        raise NotReferencedError(f"nobody has measured leg {', '.join(missing)}: {remedy}")
    return legs


def _left_m(rig: Rig) -> tuple[float, ...] | None:
    try:
        lengths_m = orjson.loads(read_state(place_path(rig)))["length_m"]
        found = tuple(float(x) for x in lengths_m)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if len(found) == 6 and all(map(math.isfinite, found)) else None


def _leg(table: dict[str, Any]) -> LegReference:
    points = tuple(MeasuredPoint(**point) for point in table["points"])
    if any(type(one.counts) is not int or wrapped(one.counts) != one.counts for one in points):
        raise ValueError("a count of more than 32 bits, or no whole number")
    scale = None if table["scale"] is None else ScaleProof(**table["scale"])
    numbers = (*(one.length_m for one in points), *(() if scale is None else (scale.ratio,)))
    if not all(type(one) in (int, float) and math.isfinite(one) for one in numbers):
        raise ValueError("a length or a ratio that is no finite number")
    return LegReference(table["identity"], points, scale)
