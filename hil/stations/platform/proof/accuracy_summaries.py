"""Output of `hil platform accuracy` with ``--json``: keys and their meaning."""

from typing import TypedDict

from hil.stations.platform.proof.summaries import PoseSummary


class PointErrorSummary(TypedDict):
    """Error of a point's place and of the platform's direction, in base axes."""

    x_m: float
    """Error along x [m]."""
    y_m: float
    """Error along y [m]."""
    z_m: float
    """Error along z [m]."""
    turn_x_deg: float
    """Error of the direction about x [deg]."""
    turn_y_deg: float
    """Error of the direction about y [deg]."""
    turn_z_deg: float
    """Error of the direction about z [deg]."""
    place_m: float
    """Error of the place in all directions together [m]."""
    turn_deg: float
    """Error of the direction about all axes together [deg]."""


class ToleranceSummary(TypedDict):
    """Tolerance of one kind of parts."""

    value: float
    """Tolerance ±, in the unit of its name."""
    assumed: bool
    """Nobody gave it: it is a common value, not one of this machine."""


class PoseAccuracySummary(TypedDict):
    """Accuracy at one pose."""

    pose: PoseSummary
    """Nominal pose of the platform."""
    three_sigma: PointErrorSummary
    """Three standard deviations, to first order."""
    worst_case: PointErrorSummary
    """Greatest error with all parts at the ends of their tolerances, to first order."""
    drawn_three_sigma: PointErrorSummary
    """Three standard deviations of the random machines, whose poses are solved exactly."""
    drawn_greatest: PointErrorSummary
    """Greatest error among them."""
    without_pose: int
    """Number of random machines of which no pose was found."""
    shares: dict[str, float]
    """Kind of errors → its share of the variance of the place."""
    place_per_length: float
    """Error of the place per error of every leg's length, one standard deviation [m/m]."""
    turn_per_length_deg_m: float
    """Error of the direction per error of every leg's length, one standard deviation [deg/m]."""


class BudgetSummary(TypedDict):
    """Tolerances with which a point keeps a wanted accuracy."""

    wanted_m: float
    """Wanted three standard deviations of the place [m]."""
    point_m: list[float]
    """Point, in platform axes [m]."""
    tolerances: dict[str, float | None]
    """Tolerance ± of each kind; null of one to which the place does not answer."""
    reached_m: float
    """Three standard deviations of the place at the worst pose with them, to first order [m]."""
    drawn_m: float
    """The same of random machines [m]."""
    pose: PoseSummary
    """Worst pose."""


class PointAccuracySummary(TypedDict):
    """Accuracy of a machine at a point of its platform."""

    ok: bool
    """Always true."""
    point_m: list[float]
    """Point, in platform axes [m]."""
    tolerances: dict[str, ToleranceSummary]
    """Tolerances that were used."""
    machines: int
    """Number of random machines at each pose."""
    at_pose: PoseAccuracySummary
    """Accuracy at the pose that was asked for, or the neutral one."""
    poses_tried: int
    """Number of poses of the rig's pose box that were tried."""
    poses_within: int
    """Number of these within the machine's limits."""
    worst: PoseAccuracySummary | None
    """Accuracy at the pose of these with the greatest error; null if none is within."""
    budget: BudgetSummary | None
    """Tolerances for a wanted accuracy; null if none was asked for."""
    written: list[str]
    """Pictures that were written."""
