"""Pictures of what the drive models do, and of what accuracy costs."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from hil.report.style import INK, LEG_COLOURS, LEGEND_IN, LIMIT, WANTED, Picture, draw_png, place
from hil.stations.arm.commands.space_arms import Load
from hil_arm_study.second_order import SecondOrderError, own_time_constants_s
from hil_arm_study.targets import PUBLISHED, TARGETS
from hil_arm_study.traces import Demonstration, HeldCommand, JointTrace, trace
from hil_arm_study.tradeoff import AccuracyCurve
from sim.world.space_arm.actions import ActionKind, DriveAction, TimedAction
from sim.world.space_arm.arm import Arm, Body
from sim.world.space_arm.drive import DriveModel
from sim.world.space_arm.snapshot import Active

Array = NDArray[np.float64]

ELBOW, WRIST_YAW, WRIST_ROLL = 2, 4, 5
MOTOR, LINK = LEG_COLOURS[3], LEG_COLOURS[0]
TOUCHING, HELD = "#FBE7A1", "#D9D9D9"
LOADS_MARKERS = "osD^v"
MILLI = 1e3


def joint_pictures(arm: Arm, q_start_rad: Array, payload: Body | None) -> list[Picture]:
    """What happens in one joint: the gap, friction, limits and inductance of the drive, a clutch.

    Args:
        arm: the arm, without payload.
        q_start_rad: where it starts, at rest [rad], shape (6,).
        payload: what the gripper holds where friction and limits are shown.
    """
    drawn = [
        gap_picture(arm, q_start_rad),
        stick_slip_picture(arm, q_start_rad, payload),
        saturation_picture(arm, q_start_rad, payload),
        clutch_picture(arm, q_start_rad, payload),
    ]
    if DriveModel.F in arm.models():
        drawn.append(inductance_picture(arm, q_start_rad))
    return drawn


def gap_picture(arm: Arm, q_start_rad: Array) -> Picture:
    """The link that floats in the gap of its gear: model d, nothing in the gripper."""
    rate = 0.06 * arm.links[ELBOW].rate_max_rad_s
    phases = (HeldCommand(2.1, rate), HeldCommand(2.1, -rate), HeldCommand(2.1, 0.0))
    seen = trace(arm, q_start_rad, Demonstration(ELBOW, DriveModel.D, None, phases, 0.005))
    gap_mrad = MILLI * arm.drives[ELBOW].half_gap_rad

    def draw(figure: Figure) -> None:
        rates, windup = _panels(figure, 2)
        _draw_rates(rates, seen)
        for panel in (rates, windup):
            _shade(panel, seen.time_s, seen.where(Active.GAP), TOUCHING, "link floats")
        _legend(rates)
        windup.plot(seen.time_s, MILLI * seen.windup_rad, color=INK, label="motor ahead")
        for face in (-gap_mrad, gap_mrad):
            windup.axhline(face, color=LIMIT, linewidth=1.0, label="faces" if face > 0.0 else None)
        windup.set_ylabel("wind-up, mrad")
        windup.set_xlabel("time, s")
        _legend(windup)

    return Picture(
        "gap",
        "A link floats in the gap of its gear",
        "Elbow, model d, empty gripper. Beyond the red faces of the gap the teeth touch and the "
        "spring pushes. Between them (yellow) the motor has no hold of the link, which goes on "
        "until it meets a face: its rate hardly changes, but for what the other joints do to it.",
        draw_png(4.6, draw),
    )


def stick_slip_picture(arm: Arm, q_start_rad: Array, payload: Body | None) -> Picture:
    """Dry friction that holds a motor until the swinging link tears it off: model e."""
    rate = 0.04 * arm.links[WRIST_YAW].rate_max_rad_s
    phases = (HeldCommand(2.0, rate), HeldCommand(7.0, 0.0))
    shown = Demonstration(WRIST_YAW, DriveModel.E, payload, phases, 0.01)
    seen = trace(arm, q_start_rad, shown)
    friction = arm.drives[WRIST_YAW].friction_nm

    def draw(figure: Figure) -> None:
        motor, close, torque = _panels(figure, 3)
        for panel in (motor, close, torque):
            _shade(panel, seen.time_s, seen.where(Active.STUCK), HELD, "motor sticks")
        for panel in (motor, close):
            panel.plot(
                seen.time_s, MILLI * seen.command_rad_s, color=WANTED, linestyle="--",
                label="command",
            )  # fmt: skip
            panel.plot(seen.time_s, MILLI * seen.motor_rad_s, color=MOTOR, label="motor")
            _legend(panel)
        after = seen.time_s > phases[0].duration_s + 0.1
        most = 1.3 * MILLI * float(np.abs(seen.motor_rad_s[after]).max(initial=1e-6))
        close.set_ylim(-most, most)
        motor.set_ylabel("rate, mrad/s")
        close.set_ylabel("closer, mrad/s")
        torque.plot(seen.time_s, seen.torque_nm, color=INK, label="through the gear")
        for value in (-friction, friction):
            torque.axhline(
                value, color=LIMIT, linewidth=1.0, label="dry friction" if value > 0 else None
            )
        torque.set_ylabel("torque, N m")
        torque.set_xlabel("time, s")
        _legend(torque)

    return Picture(
        "stick_slip",
        "Dry friction: the motor sticks and slips",
        "Wrist yaw, model e, after the command went to 0 at 2 s. Grey: the motor stands exactly "
        "still. The payload swings on; where its torque through the gear exceeds the dry friction "
        "the motor slips, and it sticks again when it comes to rest.",
        draw_png(5.8, draw),
    )


def saturation_picture(arm: Arm, q_start_rad: Array, payload: Body | None) -> Picture:
    """Voltage and current at their limits: model b."""
    drive = arm.drives[ELBOW]
    rate = 0.35 * arm.links[ELBOW].rate_max_rad_s
    phases = (HeldCommand(2.45, rate), HeldCommand(4.2, -rate))
    seen = trace(arm, q_start_rad, Demonstration(ELBOW, DriveModel.B, payload, phases, 0.005))
    gain = drive.gear_ratio * drive.speed_gain_v_s
    asked = gain * (seen.command_rad_s - seen.motor_rad_s)
    loop = np.clip(asked, -drive.voltage_max_v, drive.voltage_max_v)

    def draw(figure: Figure) -> None:
        rates, voltage, current = _panels(figure, 3)
        _draw_rates(rates, seen, link=False)
        _shade(voltage, seen.time_s, seen.where(Active.VOLTAGE), TOUCHING, "loop at its limit")
        voltage.plot(seen.time_s, loop, color=INK, label="of the speed loop")
        voltage.plot(seen.time_s, seen.voltage_v, color=LINK, label="at the motor")
        _limits(voltage, drive.voltage_max_v)
        voltage.set_ylabel("voltage, V")
        _legend(voltage)
        _shade(current, seen.time_s, seen.where(Active.CURRENT), TOUCHING, "at its limit")
        current.plot(seen.time_s, seen.current_a, color=INK, label="current")
        _limits(current, drive.current_max_a)
        current.set_ylabel("current, A")
        current.set_xlabel("time, s")
        _legend(current)

    return Picture(
        "saturation",
        "Limits of voltage and current",
        "Elbow, model b. A step of the command asks for more voltage than the loop has, and that "
        "would drive more current than the amplifier gives: the arm is pushed with constant "
        "torque, so its rate is a straight line until the loop is within its limits again.",
        draw_png(5.8, draw),
    )


def inductance_picture(arm: Arm, q_start_rad: Array) -> Picture:
    """A step of the command with and without inductance, nothing in the gripper: models f and b."""
    drive, joint = arm.drives[WRIST_YAW], WRIST_YAW
    rate = 0.06 * arm.links[joint].rate_max_rad_s
    phases = (HeldCommand(0.015, rate), HeldCommand(0.025, -rate))
    without, wound = (
        trace(arm, q_start_rad, Demonstration(joint, model, None, phases, 5e-5))
        for model in (DriveModel.B, DriveModel.F)
    )
    time_ms = MILLI * wound.time_s

    def draw(figure: Figure) -> None:
        rates, voltage, current = _panels(figure, 3)
        rates.plot(
            time_ms, MILLI * wound.command_rad_s, color=WANTED, linestyle="--", label="command"
        )
        for panel, name, scale in (
            (rates, "motor_rad_s", MILLI), (voltage, "voltage_v", 1.0), (current, "current_a", 1.0),
        ):  # fmt: skip
            panel.plot(
                time_ms,
                scale * getattr(without, name),
                color=LINK,
                label="b, without L",
                linewidth=2.2,
            )
            panel.plot(time_ms, scale * getattr(wound, name), color=MOTOR, label="f, with L")
        rates.set_ylabel("rate, mrad/s")
        _limits(voltage, drive.voltage_max_v)
        voltage.set_ylabel("voltage, V")
        _limits(current, drive.current_max_a)
        current.set_ylabel("current, A")
        current.set_xlabel("time, ms")
        for panel in (rates, voltage, current):
            _legend(panel)

    return Picture(
        "inductance",
        "The current needs time",
        "Wrist yaw, empty gripper, a step of the command and a reversal. Without inductance "
        "(model b) the current jumps to what the voltage drives; with it (model f) it rises as "
        "fast as the loop's voltage lets it, and the loop of rate and current rings.",
        draw_png(5.8, draw),
    )


def clutch_picture(arm: Arm, q_start_rad: Array, payload: Body | None) -> Picture:
    """A clutch that starts a link by slipping, and stops it on a brake: model e."""
    joint, limit_nm, brake_s = WRIST_ROLL, 10.0, 1.5
    rate = 0.2 * arm.links[joint].rate_max_rad_s
    actions = (
        TimedAction(0.0, DriveAction(ActionKind.CLUTCH_SLIP, joint + 1, limit_nm)),
        TimedAction(brake_s, DriveAction(ActionKind.BRAKE_CLOSED, joint + 1)),
    )
    phases = (HeldCommand(2.5, rate),)
    shown = Demonstration(joint, DriveModel.E, payload, phases, 0.005, actions)
    seen = trace(arm, q_start_rad, shown)

    def draw(figure: Figure) -> None:
        rates, torque, slip = _panels(figure, 3)
        for panel in (rates, torque, slip):
            _shade(panel, seen.time_s, seen.where(Active.CLUTCH), TOUCHING, "clutch slips")
            panel.axvline(brake_s, color=INK, linewidth=0.8, linestyle=":", label="brake closes")
        _draw_rates(rates, seen)
        torque.plot(seen.time_s, seen.torque_nm, color=INK, label="through the gear")
        for value in (-limit_nm, limit_nm):
            torque.axhline(value, color=LIMIT, linewidth=1.0, label="limit" if value > 0 else None)
        torque.set_ylabel("torque, N m")
        _legend(torque)
        slip.plot(seen.time_s, MILLI * seen.slip_rad, color=INK, label="motor ahead")
        slip.set_ylabel("slip, mrad")
        slip.set_xlabel("time, s")
        _legend(slip)

    return Picture(
        "clutch",
        "A clutch slips",
        "Wrist roll, model e, a clutch that slips at 10 N m. The motor is at its rate at once; "
        "yellow: the clutch passes on its limit, so the link's rate is a straight line until both "
        "are equally fast. At 1.5 s the brake stops the motor, and the link slips to rest.",
        draw_png(5.8, draw),
    )


def second_order_picture(arm: Arm, errors: Sequence[SecondOrderError]) -> Picture:
    """Error of drives of second order against the electrical time constant."""
    loads = list(dict.fromkeys(error.load.name for error in errors))
    ticks = sorted({MILLI * error.time_constant_s for error in errors})

    def draw(figure: Figure) -> None:
        panel = figure.subplots()
        place(figure, right_in=LEGEND_IN, top_in=0.12)
        panel.set_xscale("log")
        panel.set_yscale("log")
        for number, name in enumerate(loads):
            of_load = [error for error in errors if error.load.name == name]
            load, colour = of_load[0].load, LEG_COLOURS[number % 6]
            label = "no payload" if load.body is None else f"{load.mass_kg:g} kg"
            times = [MILLI * error.time_constant_s for error in of_load]
            panel.plot(
                times, [error.largest_mm for error in of_load], color=colour,
                marker=LOADS_MARKERS[number % 5], markersize=4, label=label,
            )  # fmt: skip
            panel.plot(
                times, [error.median_mm for error in of_load], color=colour, linestyle=":",
                label="median" if name == loads[-1] else None,
            )  # fmt: skip
        panel.axhline(
            PUBLISHED[DriveModel.B].position_mm, color=WANTED, linestyle="--",
            label="error of b, 1993",
        )  # fmt: skip
        for n, own_s in enumerate(dict.fromkeys(own_time_constants_s(arm))):
            label = "the arm's own" if n == 0 else None
            panel.axvline(MILLI * own_s, color=INK, linewidth=1.0, label=label)
        panel.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        panel.yaxis.set_major_formatter("{x:g}")
        panel.minorticks_off()
        panel.set_xlabel("electrical time constant L / R, ms")
        panel.set_ylabel("largest error of model b, mm")
        _legend(panel)

    return Picture(
        "second_order",
        "Where a drive of second order suffices",
        "Distance between the grippers of models b and f at the ticks of slow motions, by the time "
        "constant that all windings are given. Dashed: the error that was published for model b "
        "in 1993. Where a line is below it, inductance may be left out as it was then.",
        draw_png(4.2, draw),
    )


def tradeoff_picture(curves: Sequence[AccuracyCurve], loads: Sequence[Load]) -> Picture:
    """Largest error against real-time factor, one curve a model and payload."""
    models = list(dict.fromkeys(curve.model for curve in curves))
    columns = min(3, len(models))
    rows = -(-len(models) // columns)

    def draw(figure: Figure) -> None:
        panels = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True).ravel()
        for panel in panels[len(models) :]:
            panel.set_visible(False)
        for panel, model in zip(panels, models, strict=False):
            _draw_curves(panel, model, [curve for curve in curves if curve.model is model], loads)
        _range_of(panels[0], curves)
        for row in range(rows):
            panels[row * columns].set_ylabel("largest error, mm")
        for panel in panels[: len(models)][-columns:]:
            panel.set_xlabel("real-time factor")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="upper right", bbox_to_anchor=(1.0, 0.97))
        place(figure, right_in=LEGEND_IN, top_in=0.35, grid=(columns, rows), between_in=(0.3, 0.45))

    return Picture(
        "tradeoff",
        "Accuracy against speed",
        "Each curve is one payload at tolerances from coarse (right) to fine (left). The green box "
        "is what is wanted: small error at a high real-time factor. Hollow: the reference itself "
        "is not known better than a third of that error. Dashed: the error published in 1993.",
        draw_png(0.8 + 2.3 * rows, draw),
    )


def _draw_curves(
    panel: Axes, model: DriveModel, curves: Sequence[AccuracyCurve], loads: Sequence[Load]
) -> None:
    wanted = TARGETS[model]
    panel.set_xscale("log")
    panel.set_yscale("log")
    order = [load.name for load in loads]
    for curve in curves:
        number = order.index(curve.load.name)
        colour, marker = LEG_COLOURS[number % 6], LOADS_MARKERS[number % 5]
        rtf = [point.rtf for point in curve.points]
        error = [point.error_max_mm for point in curve.points]
        label = "no payload" if curve.load.body is None else f"{curve.load.mass_kg:g} kg"
        panel.plot(rtf, error, color=colour, marker=marker, markersize=4, label=label)
        unsure = [p for p in curve.points if p.reference_error_mm > p.error_max_mm / 3.0]
        panel.plot(
            [p.rtf for p in unsure], [p.error_max_mm for p in unsure], color=colour,
            linestyle="none", marker=marker, markersize=4, markerfacecolor="white",
        )  # fmt: skip
    if model in PUBLISHED:
        panel.axhline(
            PUBLISHED[model].position_mm, color=WANTED, linestyle="--", label="1993", zorder=1
        )
    most = wanted.figures.position_mm
    panel.fill_between(
        [wanted.rtf, 1e9], 1e-12, most, color="#97D08F", alpha=0.35, linewidth=0, label="wanted",
        zorder=0,
    )  # fmt: skip
    panel.set_title(f"model {model.value}")


def _range_of(panel: Axes, curves: Sequence[AccuracyCurve]) -> None:
    """Room for every point and for the corner of every box; all panels share it."""
    rtf = [point.rtf for curve in curves for point in curve.points]
    error = [point.error_max_mm for curve in curves for point in curve.points]
    rtf += [TARGETS[curve.model].rtf for curve in curves]
    error += [TARGETS[curve.model].figures.position_mm for curve in curves]
    panel.set_xlim(0.8 * min(rtf), 1.6 * max(rtf))
    panel.set_ylim(0.5 * min(error), 2.0 * max(error))


def _panels(figure: Figure, count: int) -> list[Axes]:
    panels = list(np.atleast_1d(figure.subplots(count, 1, sharex=True)))
    place(figure, right_in=LEGEND_IN, top_in=0.12, grid=(1, count))
    return panels


def _draw_rates(panel: Axes, seen: JointTrace, *, link: bool = True) -> None:
    panel.plot(
        seen.time_s, MILLI * seen.command_rad_s, color=WANTED, linestyle="--", label="command"
    )
    if link:
        panel.plot(seen.time_s, MILLI * seen.link_rad_s, color=LINK, label="link")
    panel.plot(seen.time_s, MILLI * seen.motor_rad_s, color=MOTOR, label="motor")
    panel.set_ylabel("rate, mrad/s")
    _legend(panel)


def _legend(panel: Axes) -> None:
    panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.03))


def _limits(panel: Axes, most: float) -> None:
    for value in (-most, most):
        panel.axhline(value, color=LIMIT, linewidth=1.0, label="limit" if value > 0 else None)
    panel.set_ylim(-1.2 * most, 1.2 * most)


def _shade(panel: Axes, time_s: Array, where: NDArray[np.bool_], colour: str, label: str) -> None:
    """Shade the times at which something holds."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], where.astype(np.int8), [0]))))
    ends = np.concatenate(([0.0], time_s))
    for n, (begin, end) in enumerate(edges.reshape(-1, 2)):
        panel.axvspan(
            float(ends[begin]), float(ends[end]), color=colour, linewidth=0, zorder=0.5,
            label=label if n == 0 else None,
        )  # fmt: skip
