"""Header of a recording, written before the first cycle: date, versions, rig, limits, drives."""

from collections.abc import Mapping

from drives.bank import BankReport
from hil.machines.rig.offered_banks import origin_of_scheme
from hil.recording.header import SIMULATED, RunHeader
from hil.run.run import Opening
from hil.stations.platform.cycle.expected_force import signals_for
from hil.stations.platform.lead.extension import Extension
from hil.stations.platform.motion.motion_plugins import PluginMotion
from hil.stations.platform.motion.source import MotionSource
from hil.stations.platform.plan.scenario import Plan
from hil.stations.platform.signals import SIGNALS
from hil.timing.clock import Clock
from safety.limits import GateLimits

VERSIONED = ("numpy", "scipy", "numba", "ruckig", "mcap")
"""Distributions on which the figures of a run depend."""


HOLDS = frozenset({"rig", "cueing"})
"""Kinds of files whose contents are all in the plan."""
IDENTITIES_KEY = "identities"
"""Key of the drives' identities, legs 1 to 6, with semicolons between."""
FITTED_KEY = "fitted"
"""Key of the changes that make the motion fit, as text; as data they are in the plan."""


def run_header(
    opening: Opening,
    clock: Clock,
    plan: Plan,
    limits: GateLimits,
    report: BankReport,
    foreign: Mapping[str, str],
    extension: Extension | None = None,
) -> RunHeader:
    """Facts by which a reader judges the run; the digest of its recording covers none of it.

    Args:
        clock: clock of the run, which dates it.
        foreign: code of other distributions in the run, by key.
        extension: extension of another station, whose table and settings the header has then.
    """
    facts = {} if extension is None else extension.facts
    scenario = plan.scenario
    return opening.header(
        signals_for(plan.rig, SIGNALS if extension is None else extension.signals),
        clock,
        plan.model_dump(mode="json") if extension is None else extension.settings,
        {
            "rig": plan.rig.name,
            "rate_hz": repr(scenario.rate_hz),
            "seed": str(scenario.seed),
            "drives": _drives_line(plan, report),
            SIMULATED: "drives" if report.simulated else "",
            "axes": "; ".join(report.axes),
            **({IDENTITIES_KEY: "; ".join(report.identities)} if any(report.identities) else {}),
            **({FITTED_KEY: "; ".join(map(str, plan.fitted))} if plan.fitted else {}),
            **foreign,
            **facts,
            "limits_sha256": limits.digest(),
        },
        VERSIONED,
    )


def _drives_line(plan: Plan, report: BankReport) -> str:
    """The drives of a run in one line; simulated ones can never be taken for real ones."""
    mark = "SIMULATED " if report.simulated else ""
    instead = plan.scenario.devices.in_place_of
    place = f", in place of {instead}, which was not there" if instead else ""
    return f"{mark}{report.name} ({report.url}{place})"


def foreign_code(plan: Plan, motion: MotionSource) -> dict[str, str]:
    """Foreign code that a run plays and is led by: distribution, version and digest."""
    origins = {}
    if isinstance(motion, PluginMotion):
        origins["motion_code"] = motion.origin
    if origin := origin_of_scheme(plan.drives_url.partition(":")[0]):
        origins["bank_code"] = origin
    return origins
