"""``hil drives reference``: a person measures where the legs are, or how far one has gone."""

from pathlib import Path

from rich.table import Table

from drives.bank import BankEnd, BankReport, DriveError
from hil.config.errors import RefusedError
from hil.config.settings import ConfigError
from hil.machines.rig.drive_fit import scales_of
from hil.machines.rig.drive_reference import (
    LegReference,
    MeasuredPoint,
    NotReferencedError,
    Reference,
    absolute_scales,
    add_point,
    load_reference,
    prove_scale,
    rig_digest,
    save_place,
    save_reference,
)
from hil.machines.rig.machine import gate_limits
from hil.machines.rig.settings import Rig
from hil.recording.reader import Recording
from hil.stations.platform.bench.header import IDENTITIES_KEY
from hil.stations.platform.commissioning.drive_summaries import ReferenceSummary
from hil.stations.platform.drives.leg_test import judge_test_move
from hil.stations.platform.drives.setup import BankRequest, bank_spec
from hil.stations.platform.plan.scenario import Plan
from hil.stations.platform.run.run_summary import show_powered
from hil.terminal.console import out, print_json
from hil.timing.clock import utc_stamp

PLACES = ("inner", "outer")
"""Stops at which all rods may be."""
JOG_MOST_CYCLES = 300_000
"""Most cycles of the recording of a jog; ten minutes at 500 Hz."""


def measure_and_show(
    plan: Plan, at: str, by: str, leg: int | None, *, as_json: bool, anew: bool = False
) -> bool:
    """Take the counts of the drives for lengths that a person vouches for; nothing moves.

    Args:
        at: `inner` or `outer` stops, or six lengths, or one for one leg, with commas between [m].
        by: person who measured.
        leg: this leg only (1 to 6); all if None.
        as_json: print one JSON object instead of a table.
        anew: whether earlier measurements of these legs are discarded.

    Returns:
        Whether each drive proved to be off when it was left; the measurement is kept anyhow.

    Raises:
        RefusedError: if the drives cannot be read, or contradict the measurement.
    """
    rig = plan.rig
    if rig.drives.homing != "absolute":
        text = 'this rig finds its places by homing (drives.homing = "switch")'
        raise RefusedError(f"{text}; its scale is measured with --ruler RECORDING --measured M")
    lengths_m = _lengths(rig, at, leg)
    report, end = _looked_at(plan)
    how = f"{at} stop" if at in PLACES else "ruler"
    try:
        reference = _known(rig)
        for number, length_m in lengths_m.items():
            who = report.identities[number - 1]
            if not who:
                raise RefusedError(f"leg {number}: its drive does not say who it is (1018h)")
            before = reference.legs[number - 1]
            if anew or before is None or before.identity != who:
                before = LegReference(who)
            point = MeasuredPoint(report.counts[number - 1], length_m, how, by, utc_stamp())
            reference = reference.with_leg(number, add_point(rig, before, number, point))
        path = save_reference(rig, reference)
        if all(measured is not None for measured in reference.legs):
            scales = absolute_scales(rig, scales_of(rig))
            rows = zip(scales, report.counts, strict=True)
            save_place(rig, [scale.length_m(count) for scale, count in rows])
    except (NotReferencedError, OSError) as error:
        raise RefusedError(f"nothing is kept: {error}") from error
    _show(reference, path, end, as_json=as_json)
    return not end.powered


def prove_scale_and_show(
    rig: Rig, recording_file: Path, measured_m: float, by: str, *, as_json: bool
) -> bool:
    """Prove the scale of a leg by a jog that was recorded and measured with a ruler.

    Args:
        recording_file: recording of the jog.
        measured_m: travel of the leg, outwards positive [m].
        by: person who measured.

    Raises:
        RefusedError: if the recording is not of one leg, or contradicts the measurement.
    """
    recording = Recording.open(recording_file)
    if recording.metadata.get("run", {}).get("rig") != rig.name:
        raise RefusedError(f"{recording_file}: is of another rig than {rig.name!r}")
    if recording.cycles > JOG_MOST_CYCLES:
        raise RefusedError(
            f"{recording_file}: a jog of one leg (hil drives jog) is needed; this recording has "
            f"{recording.cycles} cycles, at most {JOG_MOST_CYCLES} are looked at"
        )
    moves = judge_test_move(recording)
    if len(moves) != 1:
        raise RefusedError(
            f"{recording_file}: one leg that goes out and back is needed (hil drives jog), this "
            f"recording has {len(moves)} moves"
        )
    (move,) = moves
    names = recording.metadata.get("run", {}).get(IDENTITIES_KEY, "").split("; ")
    who = names[move.leg - 1] if len(names) == 6 else ""
    if not who:
        raise RefusedError(f"{recording_file}: does not say which drives it was made with")
    try:
        proof = prove_scale(move.leg, move.measured_m, measured_m, "with a ruler", by, utc_stamp())
        reference = _known(rig)
        before = reference.legs[move.leg - 1]
        points = before.points if before is not None and before.identity == who else ()
        reference = reference.with_leg(move.leg, LegReference(who, points, proof))
        path = save_reference(rig, reference)
    except (NotReferencedError, OSError) as error:
        raise RefusedError(f"nothing is kept: {error}") from error
    _show(reference, path, BankEnd(), as_json=as_json)
    return True


def _lengths(rig: Rig, at: str, leg: int | None) -> dict[int, float]:
    """Measured length of each leg (1 to 6) [m]."""
    legs = range(1, 7) if leg is None else (leg,)
    if at in PLACES:
        closed_m, stroke_m = rig.cylinders.closed_length_m, rig.cylinders.stroke_m
        out_share = 0.0 if at == "inner" else 1.0
        return {n: closed_m[n - 1] + out_share * stroke_m[n - 1] for n in legs}
    try:
        values = [float(part) for part in at.split(",")]
    except ValueError:
        values = []
    if len(values) != len(legs):
        needed = "six lengths" if leg is None else "one length"
        raise ConfigError("--at", [f"{at!r}: inner, outer, or {needed} [m] is needed"])
    return dict(zip(legs, values, strict=True))


def _known(rig: Rig) -> Reference:
    """Earlier measurements, as far as they still hold."""
    digest = rig_digest(rig)
    try:
        found = load_reference(rig)
    except NotReferencedError:
        found = None
    if found is None or found.void:
        return Reference(digest)
    return found


def _looked_at(plan: Plan) -> tuple[BankReport, BankEnd]:
    """Reports of the drives, and how they were left; they are set up, never enabled."""
    from hil.stations.platform.gate.remote import RemoteGate  # Linux only
    from hil.timing.realtime import RealClock

    spec = bank_spec(plan, BankRequest(measured=False))
    gate = RemoteGate(spec, gate_limits(plan.rig, plan.scenario.period_s), RealClock().now_s)
    try:
        report = gate.open()
    except DriveError as error:
        raise RefusedError(str(error)) from error
    finally:
        end = gate.close()
    return report, end


def _show(reference: Reference, path: Path, end: BankEnd, *, as_json: bool) -> None:
    if as_json:
        summary = ReferenceSummary(
            ok=not end.powered,
            reference=str(path),
            legs=list(reference.legs),
            powered=list(end.powered),
        )
        print_json(summary)
        return
    table = Table("leg", "drive", "measured", "by", "scale", box=None, pad_edge=False)
    for number, leg in enumerate(reference.legs, start=1):
        if leg is None:
            table.add_row(str(number), "", "not measured", "", "")
            continue
        last = leg.points[-1] if leg.points else None
        where = "" if last is None else f"{last.length_m:.4f} m, {last.how}"
        scale = "" if leg.scale is None else f"{leg.scale.how}, {leg.scale.ratio:.4f}"
        by = last.by if last is not None else leg.scale.by if leg.scale is not None else ""
        table.add_row(str(number), leg.identity, where, by, scale)
    out.print(table)
    out.print(f"kept in {path}", soft_wrap=True)
    show_powered(end)
