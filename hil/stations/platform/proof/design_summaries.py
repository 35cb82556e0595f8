"""Output of `hil platform design` with ``--json``: keys and their meaning."""

from typing import TypedDict


class MachineSizesSummary(TypedDict):
    """Sizes of a machine on two circles."""

    base_radius_m: float
    """Radius of the circle through the base's joints [m]."""
    base_half_angle_deg: float
    """Half angle of each pair of the base's joints [deg]."""
    platform_radius_m: float
    """Radius of the circle through the platform's joints [m]."""
    platform_half_angle_deg: float
    """Half angle of each pair of the platform's joints [deg]."""
    plate_turn_deg: float
    """Turn of the platform's pairs against the base's [deg]."""
    height_m: float
    """Height of the middle of the poses over the base [m]."""


class DesignedRigSummary(TypedDict):
    """A rig on the front."""

    name: str
    """Name of the rig."""
    file: str
    """File of the rig."""
    sizes: MachineSizesSummary
    """Sizes of the machine."""
    objectives: dict[str, float]
    """Objective → its worst value over the poses."""
    change: dict[str, float] | None
    """Objective → change against the rig that limits are taken from, -0.1 for a tenth less; null if
    that is not on circles."""
    closed_length_m: float
    """Closed length of its cylinders [m]."""
    stroke_m: float
    """Stroke of its cylinders [m]."""
    force_max_n: float
    """Greatest force of its cylinders [N]."""


class DesignSummary(TypedDict):
    """Design of a platform."""

    ok: bool
    """The wanted number of rigs was found and accepted."""
    motions: list[str]
    """Motions that each rig plays within its limits, besides the poses of the box."""
    tried: int
    """Number of machines that were computed."""
    rigs: list[DesignedRigSummary]
    """Rigs on the front, each accepted by the bench, by the first objective."""
    balanced: str
    """Name of the rig that is nearest to the best of every objective."""
    base: dict[str, float] | None
    """Objective → value of the rig that limits are taken from; null if it is not on circles."""
    refused: list[str]
    """Machines of the front that the bench does not accept as rigs, and why."""
    written: list[str]
    """Files that were written."""
