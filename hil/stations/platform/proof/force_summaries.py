"""Output of `hil platform forces --json`: one object, with keys and their meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hil.stations.platform.proof.summaries import PoseSummary

    Six = NDArray[np.float64]


class ForcePartsSummary(TypedDict):
    """Parts of the forces; their sum is the force of the drives."""

    bodies: Six
    """Bodies on the platform [N], 6."""
    across: Six
    """Tubes and rods, which push across the legs [N], 6."""
    rod: Six
    """Rods along the legs [N], 6."""
    rotor: Six
    """Rotors and screws [N], 6."""
    friction: Six
    """Friction of the drives [N], 6."""


class BodyForceSummary(TypedDict):
    """Share of one body."""

    name: str
    """Name of the body in the rig."""
    mass_kg: float
    """Mass [kg]."""
    force_n: Six
    """Share of the forces [N], 6."""


class SwingSummary(TypedDict):
    """Mode of the platform on its screws, rotors locked."""

    axis: str
    """Motion with the largest share."""
    frequency_hz: float
    """Natural frequency [Hz]."""


class ServoModeSummary(TypedDict):
    """Mass that the six servos feel in one of their modes."""

    axis: str
    """Motion with the largest share."""
    mass_kg: float
    """Mass at the rod [kg]."""
    held: bool
    """Whether the servo damps it."""


class ServoSummary(TypedDict):
    """Stability of the servos with this machine."""

    position_gain_1_s: float
    """k_p of the position loop [1/s]."""
    speed_gain_n_s_m: float
    """k_v of the speed loop [N s/m]."""
    integral_time_s: float
    """T_i of the speed loop [s]."""
    least_kg: float
    """Least mass that it holds, computing each millisecond [kg]."""
    greatest_kg: float
    """Greatest mass that it holds, k_v (T_i + 1/k_p) [kg]."""
    payload_max_kg: float
    """Greatest mass of all bodies together that it holds [kg]; 0 if it holds none."""
    modes: list[ServoModeSummary]
    """Six modes, the heaviest first."""


class StiffnessSummary(TypedDict):
    """Stiffness of the platform on its screws."""

    matrix: list[list[float]]
    """Stiffness about the platform's origin, in base axes [N/m, N; N, N m/rad], 6 by 6."""
    wrench: Six
    """Wrench that bends it, force and moment at the platform's origin [N, N m], 6."""
    shift_m: Six
    """Shift of the platform under that wrench [m], 3."""
    turn_rad: Six
    """Turn of the platform under that wrench [rad], 3."""
    modes: list[SwingSummary]
    """Six modes with all bodies, the lowest first."""


class ForcesSummary(TypedDict):
    """Forces of the drives at a pose."""

    ok: bool
    """Forces, torques and holding forces are within the limits, and the servos are stable."""
    pose: PoseSummary
    """Pose of the platform in the base."""
    lengths_m: Six
    """Lengths, joint to joint [m], 6."""
    speeds_m_s: Six
    """Speeds of the legs [m/s], 6."""
    accelerations_m_s2: Six
    """Accelerations of the legs [m/s²], 6."""
    force_n: Six
    """Force of each drive, outwards positive, friction included [N], 6."""
    limit_n: Six
    """Force that stops the platform [N], 6."""
    hold_n: Six
    """Force that holds the machine at rest in this pose [N], 6."""
    parts_n: ForcePartsSummary
    """Parts of the forces."""
    bodies: list[BodyForceSummary]
    """Shares of the bodies, without the legs' own."""
    motor_nm: Six | None
    """Torque of the motors [N m], 6; null without `[cylinders.drive]`."""
    power_w: Six | None
    """Electrical power of the drives, below 0 where they feed back [W], 6."""
    stiffness: StiffnessSummary | None
    """Stiffness and modes; null without `[cylinders.drive]`."""
    servo: ServoSummary
    """Stability of the servos."""
    problems: list[str]
    """Limits that are passed."""
    written: list[str]
    """Paths of the pictures."""
