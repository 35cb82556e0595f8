"""The figures of an arm's run against their limits, in the order in which people read them."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hil.report.recorded_run import KeyFigure
from hil.stations.arm.report.accuracy import PROMISED_M
from hil.stations.arm.report.figures import ANSWER_WANTED_S
from hil.stations.arm.report.view import ArmView
from hil.stations.arm.scene.machines import limit_share
from hil.stations.arm.signals import ArmFlag

Array = NDArray[np.float64]


def arm_key_figures(view: ArmView) -> list[KeyFigure]:
    """Return the rows of the table; what the recording does not contain has no row."""
    return [
        *_stream(view), *_supervised(view), *_simulation(view), *_accuracy(view),
        *_following(view), *_speed(view), *_joints(view), *_singular(view), *_answers(view),
    ]  # fmt: skip


def _stream(view: ArmView) -> Iterator[KeyFigure]:
    if view.result:
        good = view.verdict.ending.good
        yield KeyFigure("result of the stream", view.result, bad=not good)
    if not view.run.waypoints:
        return
    sent, exact = int(view.fetches.sent.sum()), view.fetches.sent_exact
    value = f"{'' if exact else 'at least '}{sent}"
    yield KeyFigure("waypoints sent", value, f"of {view.run.waypoints} that were made")


def _simulation(view: ArmView) -> Iterator[KeyFigure]:
    found = view.run.simulation()
    if found is None or not view.run.waypoints:
        return
    value = found.accuracy
    usual = int(np.count_nonzero(view.run.column("flags").astype(np.int64) & ArmFlag.USUAL))
    if usual:
        value = f"{value} but for {usual} waypoints"
    yield KeyFigure("simulation of the space arm", value, found.why)


def _accuracy(view: ArmView) -> Iterator[KeyFigure]:
    found = view.accuracy
    if found is None:
        return
    for name, misfit in (("space", found.in_space), ("time", found.in_time)):
        x, y, z = 1e3 * found.place_m[np.argmax(misfit.distance_m)]
        where = (
            f"at {float(view.of_motion(misfit.at_s)):.2f} s, ({x:.0f}, {y:.0f}, {z:.0f}) mm; "
            f"median {1e3 * misfit.median_m:.3f}"
        )
        limit = 1e3 * found.limit_m
        value = 1e3 * misfit.largest_m
        yield KeyFigure(
            f"accuracy in {name}, max", f"{value:.3f} mm", where, f"{limit:.3f} mm",
            f"{limit - value:.3f} mm", bad=not value <= limit,
        )  # fmt: skip
    best = found.best
    begin_s, end_s = (float(view.of_motion(one)) for one in (best.begin_s, best.end_s))
    yield KeyFigure(
        "best of any waypoints",
        f"{1e3 * best.least_m:.3f} mm",
        f"in time, between {begin_s:.2f} and {end_s:.2f} s: none can reach less there",
    )


def _supervised(view: ArmView) -> Iterator[KeyFigure]:
    tally = view.run.supervision()
    if tally.get("periods", 0.0) and "period_mean_s" in tally:
        mean_ms, jitter_ms, least_ms, most_ms = (
            1e3 * tally.get(f"period_{name}_s", float("nan"))
            for name in ("mean", "jitter", "shortest", "longest")
        )
        where = f"jitter {jitter_ms:.1f} ms, {least_ms:.1f} to {most_ms:.1f} ms"
        off = abs(mean_ms / (1e3 * view.period_s) - 1.0) > view.supervision.period_tolerance
        yield KeyFigure("period of the robot, mean", f"{mean_ms:.1f} ms", where, bad=off)
    if "places_measured" not in tally:
        return
    measured = int(tally["places_measured"])
    if not measured:
        yield KeyFigure("measured places", "none", "nothing measured confirms the motion", bad=True)
        return
    off_m, off_rad = tally.get("off_path_max_m", 0.0), tally.get("off_path_max_rad", 0.0)
    value = f"{1e3 * off_m:.2f} mm, {np.degrees(off_rad):.2f} deg"
    yield KeyFigure("off the path as sent, max", value, f"of {measured} measured places")


def _following(view: ArmView) -> Iterator[KeyFigure]:
    found = view.tracking
    if found is None:
        return
    if found.delay_known:
        periods = found.delay_s / view.period_s
        halves = "; halves " + " and ".join(f"{half:.3f} s" for half in found.halves_s)
        where = f"{periods:.2f} periods{halves if np.isfinite(found.halves_s).all() else ''}"
        yield KeyFigure(
            "delay, request to gripper", f"{found.delay_s:.3f} s", where, bad=periods < 0.0
        )
    for name, values, factor, unit, limit in (
        ("following error", found.distance_m, 1e3, "mm", 1e3 * PROMISED_M),
        ("turn error", np.degrees(found.angle_error_rad), 1.0, "deg", None),
    ):
        scaled = factor * values
        most = int(np.argmax(scaled))
        p99, rms = np.percentile(scaled, 99.0), np.sqrt(np.mean(scaled**2))
        where = f"at {found.t_s[most]:.2f} s; p99 {p99:.3f}, rms {rms:.3f}"
        yield _below(f"{name}, max", float(scaled[most]), unit, where, limit, 3)


def _speed(view: ArmView) -> Iterator[KeyFigure]:
    values = view.run.column("gripper_speed_m_s")
    if not np.isfinite(values).any():
        return
    k = int(np.nanargmax(values))
    limit = None if view.machines is None else 1e3 * view.machines.gripper_speed_max_m_s
    where = f"at {view.fetches.fetched_s[k]:.2f} s"
    yield _below("gripper speed, max", 1e3 * float(values[k]), "mm/s", where, limit, 1)


def _joints(view: ArmView) -> Iterator[KeyFigure]:
    column = view.run.column
    for one in () if view.machines is None else view.machines.joints():
        left = 100.0 * limit_share(column(one.angles), one.low_rad, one.high_rad)
        if np.isfinite(left).any():
            k, joint = divmod(int(np.nanargmin(left)), left.shape[1])
            value, where = float(left[k, joint]), _where(view, k, joint)
            yield KeyFigure(f"{one.arm} arm, travel left", f"{value:.1f} %", where, "0 %",
                            f"{value:.1f} %", value < 0.0)  # fmt: skip
        rate = 100.0 * np.abs(column(one.rates)) / one.rate_max_rad_s
        if np.isfinite(rate).any():
            k, joint = divmod(int(np.nanargmax(rate)), rate.shape[1])
            value, where = float(rate[k, joint]), _where(view, k, joint)
            yield _below(f"{one.arm} arm, joint rate", value, "%", where, 100.0, 1)


def _singular(view: ArmView) -> Iterator[KeyFigure]:
    margins = view.run.column("margins")
    names = (("wrist", 1.0, ""), ("elbow", 1e3, " mm"), ("shoulder", 1e3, " mm"))
    least = None if view.machines is None else view.machines.least_margins
    for k, (name, factor, unit) in enumerate(names):
        if np.isfinite(margins[:, k]).any():
            place = int(np.nanargmin(margins[:, k]))
            value = factor * float(margins[place, k])
            where = f"at {view.fetches.fetched_s[place]:.2f} s"
            words, shown = f"nearest to {name} singularity", f"{value:.3g}{unit}"
            if least is None:
                yield KeyFigure(words, shown, where)
                continue
            limit = factor * least[k]
            left = f"{value - limit:.3g}{unit}"
            yield KeyFigure(words, shown, where, f"{limit:.3g}{unit}", left, value < limit)


def _answers(view: ArmView) -> Iterator[KeyFigure]:
    run = view.run
    latency = run.column("answer_latency_s")
    latency = 1e3 * latency[np.isfinite(latency)]
    if len(latency) and latency.max() > 0.0:
        p99 = float(np.percentile(latency, 99.0))
        where = f"max {latency.max():.2f} ms of {len(latency)}"
        yield _below("answer to a request, p99", p99, "ms", where, 1e3 * ANSWER_WANTED_S, 2)
    elif len(latency):
        yield KeyFigure("answer to a request", "0 ms", "virtual clock: it takes no time")
    late = run.column("late_s")
    if np.isfinite(late).any() and np.nanmax(late) > 0.0:
        yield KeyFigure("latest wake-up", f"{1e3 * float(np.nanmax(late)):.2f} ms")


def _where(view: ArmView, waypoint: int, joint: int) -> str:
    return f"joint {joint + 1} at {view.fetches.fetched_s[waypoint]:.2f} s"


def _below(
    name: str, value: float, unit: str, where: str, limit: float | None, digits: int
) -> KeyFigure:
    """Return a row of a value that is to stay below a limit, if there is one."""
    shown = f"{value:.{digits}f} {unit}"
    if limit is None:
        return KeyFigure(name, shown, where)
    margin = f"{limit - value:.{digits}f} {unit}"
    return KeyFigure(name, shown, where, f"{limit:g} {unit}", margin, value > limit * (1 + 1e-9))
