"""A dry run in a process of its own: `python -m hil.panel.scenarios.models.dry_run FILE OUT`.

The virtual clock and simulated devices, whatever the file says; the motion itself is the file's.
One JSON object a line on standard output: how far it is, and at the end how it went.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import orjson

from hil.config.errors import RefusedError
from hil.config.file_kinds import SCENARIOS, FileKind, find_kind
from hil.config.settings import ConfigError
from hil.recording.header import RecordingError

TOLD_STEP: Final = 0.005
"""Share of the run between two words on how far it is."""


def main() -> int:
    """Run the file named on the command line.

    Returns:
        Exit status: 0 if all went well, else 1.
    """
    name, out = sys.argv[1], Path(sys.argv[2])
    try:
        path, kind = find_kind(name, *SCENARIOS, key="SCENARIO")
        if kind is FileKind.TOGETHER_SCENARIO:
            raise RefusedError("stations together have clocks of their own: run it, or each alone")
        result = _arm(path, out) if kind is FileKind.ARM_SCENARIO else _platform(path, out)
    except (ConfigError, RefusedError, RecordingError, ValueError) as error:
        result = {"ok": False, "reason": str(error), "recording": ""}
    _tell({"result": result})
    return 0 if result["ok"] else 1


def _platform(path: Path, out: Path) -> dict[str, Any]:
    from hil.stations.platform.bench import expected_duration_s, run
    from hil.stations.platform.check import check_plan
    from hil.stations.platform.motion.build import motion_of
    from hil.stations.platform.scenario import load_plan
    from hil.stations.platform.warm import warm

    plan = load_plan(path, ['clock="virtual"', 'devices.drives="sim:"'])
    warm()
    motion = motion_of(plan)
    if plan.scenario.checks_first:
        checked = check_plan(plan, motion)
        if not checked.ok:
            raise RefusedError("\n".join(one.message for one in checked.violations))
    result = run(plan, out, motion=motion, progress=_teller(expected_duration_s(plan, motion)))
    reason = result.reason or result.outcome.value
    return {"ok": result.ok, "reason": reason, "recording": str(result.recorder.path)}


def _arm(path: Path, out: Path) -> dict[str, Any]:
    from hil.stations.arm.bench import prepare_plan, run_arm
    from hil.stations.arm.scenario import load_arm_plan
    from hil.stations.arm.warm import warm_arm
    from sim.world.space_arm.simulator import TICK_S

    plan = load_arm_plan(path, ['clock="virtual"', 'devices.arm="sim:"'])
    warm_arm()
    prepared = prepare_plan(plan)
    result = run_arm(prepared, out, progress=_teller(len(prepared.steps) * TICK_S))
    reason = result.end.reason or ("" if result.end.result is None else result.end.result.value)
    return {"ok": result.ok, "reason": reason, "recording": str(result.recorder.path)}


def _teller(total_s: float) -> Callable[[float], None]:
    """What tells how far a run is, not more often than a bar can show."""
    told = 0.0

    def tell(t_s: float) -> None:
        nonlocal told
        share = min(t_s / total_s, 1.0) if total_s > 0.0 else 1.0
        if share >= told + TOLD_STEP:
            told = share
            _tell({"share": share})

    return tell


def _tell(what: dict[str, Any]) -> None:
    sys.stdout.buffer.write(orjson.dumps(what) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    sys.exit(main())
