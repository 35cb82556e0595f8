"""JSON objects of the verbs of a ride with ``--json``: their keys and their meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hil.stations.platform.proof.summaries import LoadSummary

if TYPE_CHECKING:
    from hil.stations.platform.proof.check import PlanFinding


class RideCheckSummary(LoadSummary):
    """Proof of a ride."""

    ok: bool
    """True if nothing is wrong."""
    duration_s: float | None
    """Duration that was tried, with the return home [s]; null for a live source, which nobody knows
    beforehand: its files were read, its rise, rest at neutral and parking were proved."""
    length_min_m: float | None
    """Shortest leg in it [m]; null as above, as what follows."""
    length_max_m: float | None
    """Longest leg [m]."""
    leg_speed_max_m_s: float | None
    """Fastest leg [m/s]."""
    governed_share: float | None
    """Share of its cycles in which the governor changed what the algorithm wanted [1]."""
    margin_min: float | None
    """Smallest share left of a limit, as the governor saw it [1]; null without one."""
    violations: list[PlanFinding]
    """All that is wrong; of each limit and leg the first time and the worst value."""
