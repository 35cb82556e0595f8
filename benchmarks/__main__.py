"""``make bench``: run all benchmarks, print their tables, write one JSON file."""

import argparse
import json
import os
import platform
from collections.abc import Callable
from pathlib import Path

from benchmarks import (
    bench_arm,
    bench_arm_link,
    bench_cueing,
    bench_cycle,
    bench_diagram,
    bench_diagram_editor,
    bench_fmu,
    bench_governor,
    bench_help,
    bench_hosts,
    bench_kill,
    bench_kinematics,
    bench_latency,
    bench_panel,
    bench_panel_stop,
    bench_physics,
    bench_plan,
    bench_rack,
    bench_realtime,
    bench_recording,
    bench_slcan,
    bench_space_arm,
    bench_tables,
    bench_turn,
    bench_world,
    bench_world_pictures,
    bench_world_rack,
)

RUNS: dict[str, Callable[[argparse.Namespace], object]] = {
    "kinematics": lambda _: bench_kinematics.run(),
    "cycle": lambda _: bench_cycle.run(),
    "cueing": lambda _: bench_cueing.run(),
    "governor": lambda _: bench_governor.run(),
    "diagram": lambda _: bench_diagram.run(),
    "diagram_editor": lambda _: bench_diagram_editor.run(),
    "fmu": lambda _: bench_fmu.run(),
    "plan": lambda asked: bench_plan.run(asked.seconds),
    "realtime": lambda asked: bench_realtime.run(asked.seconds),
    "slcan": lambda _: bench_slcan.run(),
    "rack": lambda asked: bench_rack.run(asked.seconds),
    "kill": lambda _: bench_kill.run(),
    "space_arm": lambda _: bench_space_arm.run(),
    "arm": lambda _: bench_arm.run(),
    "arm_link": lambda asked: bench_arm_link.run(asked.waypoints, asked.arm_seconds, asked.seconds),
    "panel": lambda asked: bench_panel.run(min(asked.seconds, 30.0)),
    "panel_stop": lambda _: bench_panel_stop.run(),
    "recording": lambda _: bench_recording.run(),
    "world": lambda _: bench_world.run(),
    "world_rack": lambda _: bench_world_rack.run(),
    "world_pictures": lambda _: bench_world_pictures.run(),
    "tables": lambda _: bench_tables.run(),
    "turn": lambda _: bench_turn.run(),
    "help": lambda _: bench_help.run(),
    "hosts": lambda _: bench_hosts.run(),
    "physics": lambda _: bench_physics.run(),
    "latency": lambda asked: bench_latency.run(asked.seconds),
}
"""Each benchmark by its name, in the order in which all are run."""
NAMES = tuple(RUNS)
GROUPS = {"world": ("world", "world_rack", "world_pictures")}
"""Names that mean several."""


def machine() -> dict[str, str | int | None]:
    """What the figures were measured on."""
    model = "unknown"
    info = Path("/proc/cpuinfo")
    if info.is_file():
        lines = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        model = lines[0].partition(":")[2].strip() if lines else model
    return {
        "cpu": model,
        "cores": os.cpu_count(),
        "kernel": platform.release(),
        "python": platform.python_version(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(NAMES)}; all if left out")
    parser.add_argument("--only", default="", help="the same, separated by commas, one by one")
    parser.add_argument("--seconds", type=float, default=60.0, help="of the real-time benchmark")
    parser.add_argument("--waypoints", type=int, default=10_000, help="of the arm, virtual time")
    parser.add_argument("--arm-seconds", type=float, default=600.0, help="of the arm, real time")
    parser.add_argument("--json", type=Path, default=Path("benchmarks/results/latest.json"))
    arguments = parser.parse_args()
    several = [one for name in arguments.names for one in GROUPS.get(name, (name,))]
    chosen = [*several, *filter(None, arguments.only.split(","))] or list(NAMES)
    if unknown := [name for name in chosen if name not in NAMES]:
        parser.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(NAMES)}")
    facts = machine()
    results: dict[str, object] = {"machine": facts}
    print("machine:", ", ".join(f"{key} {value}" for key, value in facts.items()))
    for name, run in RUNS.items():
        if name in chosen:
            results[name] = run(arguments)
    arguments.json.parent.mkdir(parents=True, exist_ok=True)
    arguments.json.write_text(json.dumps(results, indent=2))
    print(f"JSON: {arguments.json}")


if __name__ == "__main__":
    main()
