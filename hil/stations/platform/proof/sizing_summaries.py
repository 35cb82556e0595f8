"""Output of `hil platform size` with ``--json``: keys and their meaning."""

from typing import TypedDict


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
    force_rms_n: float
    """Greatest root mean square of the force, of a rod [N]."""
    force_cubic_mean_n: float
    """Greatest cubic mean of the force over the path, of a rod [N]."""
    outside_share: float
    """Share of its samples beyond the rig's travel, speeds or accelerations."""
    outside: str
    """First limits of the rig that it exceeds; empty if none."""


class NeededSummary(TypedDict):
    """What all motions together ask of each cylinder."""

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
    force_rms_n: float
    """Greatest root mean square of the force [N]."""
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
    """Reserve as a share of what is needed; below 0 where it does not do."""


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
    """Greatest torque of its motor, without the rotor's own [N m]."""
    torque_rms_nm: float
    """Greatest root mean square of the torque [N m]."""
    returned_mean_w: float
    """Mean power that flows back from all six, of the worst motion [W]."""
    returned_hardest_w: float
    """The same over the hardest 10 s [W]."""


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
    motions: list[MotionDemandSummary]
    """What each motion asks."""
    needed: NeededSummary
    """What all of them ask together."""
    cylinders: list[CylinderFitSummary]
    """Cylinders of the catalogue: those that fit, the one with the least reserve first; then the
    others, the nearest first."""
    written: list[str]
    """Pictures that were written."""
