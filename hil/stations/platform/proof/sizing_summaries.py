"""Output of `hil platform size` with ``--json``: keys and their meaning."""

from typing import TypedDict

from hil.stations.platform.proof.summaries import PoseSummary


class MotionDemandSummary(TypedDict):
    """What one motion asks of the cylinders."""

    motion: str
    """Scenario or file, as it was asked for."""
    duration_s: float
    """Duration [s]."""
    length_min_m: float
    """Shortest length joint to joint [m]."""
    length_max_m: float
    """Longest length joint to joint [m]."""
    speed_max_m_s: float
    """Greatest speed of a rod [m/s]."""
    acceleration_max_m_s2: float
    """Greatest acceleration of a rod [m/s²]."""
    force_peak_n: float
    """Greatest force of a rod either way [N]."""
    force_stop_n: float
    """Greatest force that a controlled or quick stop begun at any moment asks for [N]."""
    force_rms_n: float
    """Greatest root mean square of the force, of a rod [N]."""
    force_cubic_mean_n: float
    """Greatest cubic mean of the force over the path, of a rod [N]."""
    outside_share: float
    """Share of its samples beyond the rig's travel, speeds or accelerations."""
    outside: str
    """First limits of the rig that it exceeds; empty if none."""


class BoxDemandSummary(TypedDict):
    """What a box of poses asks of the cylinders, the platform at rest in any of them."""

    lower: PoseSummary
    """Lower ends of the coordinates."""
    upper: PoseSummary
    """Upper ends of the coordinates."""
    length_min_m: float
    """Shortest length joint to joint [m]."""
    length_max_m: float
    """Longest length joint to joint [m]."""
    force_hold_n: float
    """Greatest force of a leg that holds the platform at rest, either way [N]."""
    force_hold_pose: PoseSummary
    """Pose of that force."""


class NeededSummary(TypedDict):
    """What all motions, their stops and the box ask of each cylinder."""

    length_min_m: float
    """Shortest length joint to joint [m]."""
    length_max_m: float
    """Longest length joint to joint [m]."""
    stroke_m: float
    """Stroke, with the rig's soft margin at both ends [m]."""
    speed_max_m_s: float
    """Greatest speed [m/s]."""
    acceleration_max_m_s2: float
    """Greatest acceleration [m/s²]."""
    force_peak_n: float
    """Greatest force either way [N]."""
    force_push_n: float
    """Greatest pushing force [N]."""
    force_stop_n: float
    """Greatest force that a stop asks for [N]; 0 without a motion."""
    force_rms_n: float
    """Greatest root mean square of the force [N]; a pose of the box may be held all the time."""
    force_cubic_mean_n: float
    """Greatest cubic mean of the force over the path [N]."""
    mean_speed_m_s: float
    """Greatest mean speed, standstill counted [m/s]."""


class PropertyReserveSummary(TypedDict):
    """One property of a cylinder beside what is needed."""

    needed: float
    """Needed value, in the unit of the property's name."""
    offered: float
    """Value of the cylinder; of `closed_length_m` the least, which must not be above the needed."""
    margin: float
    """Reserve as a share of what is needed; below 0 where it does not do. Of `force_stop_n` that of
    the distance by which legs go further where a stop lacks force; 1e9 where none does."""


class CylinderFitSummary(TypedDict):
    """A cylinder of the catalogue beside what is needed."""

    name: str
    """Maker, series and size."""
    fits: bool
    """No property is too little."""
    margin: float
    """Least reserve."""
    binding: str
    """Property with the least reserve."""
    checked: bool
    """Somebody compared its figures with the maker's sheet."""
    properties: dict[str, PropertyReserveSummary]
    """Name of a property, with its unit → the comparison."""
    torque_peak_nm: float
    """Greatest torque at its screw, with what the row gives of rotor and friction [N m]."""
    torque_rms_nm: float
    """Greatest root mean square of the torque [N m]."""
    torque_hardest_nm: float
    """The same over the hardest 10 s [N m]; a shorter motion is one window."""
    shaft_power_max_w: float
    """Greatest mechanical power of a motor [W]."""
    power_max_w: float | None
    """Greatest electrical power of a drive [W]; null where the row gives no windings."""
    returned_mean_w: float
    """Mean power that flows back from all six, of the worst motion [W]; without windings that of
    the shafts, which is more."""
    returned_hardest_w: float
    """The same over the hardest 10 s [W]."""
    resistor_mean_w: float
    """Mean power that flows back from the drive that returns most [W]."""
    resistor_hardest_w: float
    """The same over the hardest 10 s [W]."""
    stop_beyond_m: float | None
    """Distance by which a leg goes beyond a controlled stop that asks for too much force [m]; null
    where nothing that moves has moments: then stops are not judged."""
    stop_stroke_share: float | None
    """The same of a quick stop, as a share of the stroke that is left."""
    assumed: list[str]
    """Masses that the row does not give and that are those of the rig's legs."""
    not_given: list[str]
    """Keys that neither gives: forces, torque and power are without them."""
    estimated: list[str]
    """Keys of the row that its source does not give."""


class SizingSummary(TypedDict):
    """Cylinders for motions."""

    ok: bool
    """A cylinder of the catalogue fits."""
    mass_kg: float
    """Mass of all that moves with the platform [kg]."""
    mass_assumed: bool
    """Nobody gave it: it is six times the rig's `moving_mass_kg`."""
    centre_m: list[float]
    """Its centre in platform axes [m]."""
    life_h: float
    """Hours of the motions that a screw has to last [h]."""
    legs_assumed: list[str]
    """Masses of the rig's legs in what motions and box ask; none: their legs have no weight."""
    motions: list[MotionDemandSummary]
    """What each motion asks."""
    box: BoxDemandSummary | None
    """What the box asks; null if none was asked for."""
    needed: NeededSummary
    """What all of them ask together."""
    cylinders: list[CylinderFitSummary]
    """Cylinders of the catalogue: those that fit, the one with the least reserve first; then the
    others, the nearest first."""
    written: list[str]
    """Pictures that were written."""
