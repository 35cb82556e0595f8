"""A scenario of the arm station tried on the virtual clock, with a simulated robot."""

from collections.abc import Callable
from pathlib import Path

from hil.run.station import Tried
from hil.stations.arm.bench import prepare_plan, run_arm
from hil.stations.arm.scenario import load_arm_plan
from hil.stations.arm.warm import warm_arm
from sim.world.space_arm.simulator import TICK_S


def dry_run(file: Path, out: Path, tell: Callable[[float, float], None]) -> Tried:
    """Run it, whatever clock and robot it names."""
    plan = load_arm_plan(file, ['clock="virtual"', 'devices.arm="sim:"'])
    warm_arm()
    prepared = prepare_plan(plan)
    total_s = len(prepared.steps) * TICK_S
    result = run_arm(prepared, out, progress=lambda t_s: tell(t_s, total_s))
    reason = result.end.reason or ("" if result.end.result is None else result.end.result.value)
    return Tried(ok=result.ok, reason=reason, recording=result.recorder.path)
