"""A scenario of the platform tried on the virtual clock, with simulated drives."""

from collections.abc import Callable
from pathlib import Path

from hil.config.errors import RefusedError
from hil.config.inputs import collected
from hil.run.station import Tried
from hil.stations.platform.bench import expected_duration_s, run
from hil.stations.platform.check import check_plan
from hil.stations.platform.motion.build import motion_of
from hil.stations.platform.scenario import load_plan
from hil.stations.platform.warm import warm


@collected()
def dry_run(file: Path, out: Path, tell: Callable[[float, float], None]) -> Tried:
    """Run it, whatever clock and drives it names."""
    plan = load_plan(file, ['clock="virtual"', 'devices.drives="sim:"'])
    warm()
    motion = motion_of(plan, whole=plan.scenario.checks_first)
    if plan.scenario.checks_first:
        checked = check_plan(plan, motion)
        if not checked.ok:
            raise RefusedError("\n".join(one.line for one in checked.violations))
    total_s = expected_duration_s(plan, motion)
    result = run(plan, out, motion=motion, progress=lambda t_s: tell(t_s, total_s))
    return Tried(
        ok=result.ok,
        reason=result.reason or result.outcome.value,
        recording=result.recorder.path,
    )
