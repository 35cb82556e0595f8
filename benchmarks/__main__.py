"""``make bench``: run all benchmarks, print their tables, write one JSON file."""

import argparse
import json
import os
import platform
from pathlib import Path

from benchmarks import (
    bench_arm,
    bench_arm_link,
    bench_cueing,
    bench_cycle,
    bench_fmu,
    bench_governor,
    bench_help,
    bench_hosts,
    bench_kill,
    bench_kinematics,
    bench_latency,
    bench_panel,
    bench_panel_stop,
    bench_plan,
    bench_rack,
    bench_realtime,
    bench_recording,
    bench_slcan,
    bench_space_arm,
    bench_world,
    bench_world_pictures,
    bench_world_rack,
)

NAMES = (
    "kinematics",
    "cycle",
    "cueing",
    "governor",
    "fmu",
    "plan",
    "realtime",
    "slcan",
    "rack",
    "kill",
    "space_arm",
    "arm",
    "arm_link",
    "panel",
    "panel_stop",
    "recording",
    "world",
    "world_rack",
    "world_pictures",
    "help",
    "hosts",
    "latency",
)
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
    if "kinematics" in chosen:
        results["kinematics"] = bench_kinematics.run()
    if "cycle" in chosen:
        results["cycle"] = bench_cycle.run()
    if "cueing" in chosen:
        results["cueing"] = bench_cueing.run()
    if "governor" in chosen:
        results["governor"] = bench_governor.run()
    if "fmu" in chosen:
        results["fmu"] = bench_fmu.run()
    if "plan" in chosen:
        results["plan"] = bench_plan.run(arguments.seconds)
    if "realtime" in chosen:
        results["realtime"] = bench_realtime.run(arguments.seconds)
    if "slcan" in chosen:
        results["slcan"] = bench_slcan.run()
    if "rack" in chosen:
        results["rack"] = bench_rack.run(arguments.seconds)
    if "kill" in chosen:
        results["kill"] = bench_kill.run()
    if "space_arm" in chosen:
        results["space_arm"] = bench_space_arm.run()
    if "arm" in chosen:
        results["arm"] = bench_arm.run()
    if "arm_link" in chosen:
        results["arm_link"] = bench_arm_link.run(
            arguments.waypoints, arguments.arm_seconds, arguments.seconds
        )
    if "panel" in chosen:
        results["panel"] = bench_panel.run(min(arguments.seconds, 30.0))
    if "panel_stop" in chosen:
        results["panel_stop"] = bench_panel_stop.run()
    if "recording" in chosen:
        results["recording"] = bench_recording.run()
    if "world" in chosen:
        results["world"] = bench_world.run()
    if "world_rack" in chosen:
        results["world_rack"] = bench_world_rack.run()
    if "world_pictures" in chosen:
        results["world_pictures"] = bench_world_pictures.run()
    if "help" in chosen:
        results["help"] = bench_help.run()
    if "hosts" in chosen:
        results["hosts"] = bench_hosts.run()
    if "latency" in chosen:
        results["latency"] = bench_latency.run(arguments.seconds)
    arguments.json.parent.mkdir(parents=True, exist_ok=True)
    arguments.json.write_text(json.dumps(results, indent=2))
    print(f"JSON: {arguments.json}")


if __name__ == "__main__":
    main()
