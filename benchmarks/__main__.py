"""``make bench``: run benchmarks, print their tables, write a JSON file or docs/performance.md."""

import argparse
import importlib
import json
import math
from pathlib import Path

from benchmarks import publish
from benchmarks.machine import machine, today

NAMES = (
    "kinematics", "cycle", "cueing", "governor", "diagram", "diagram_editor", "fmu", "plan",
    "realtime", "slcan", "exchange", "desk", "emulator", "rack", "kill", "space_arm", "arm",
    "arm_link", "panel", "panel_stop", "recording", "world", "world_rack", "world_pictures",
    "tables", "turn", "help", "hosts", "physics", "latency", "workspace", "forces",
    "tasks", "campaign",
)  # fmt: skip
"""Each benchmark, in the order in which all are run: `run` of the module `bench_NAME`."""
GIVEN = {
    "plan": ("seconds",),
    "realtime": ("seconds",),
    "rack": ("seconds",),
    "arm_link": ("waypoints", "arm_seconds", "seconds"),
    "panel": ("seconds",),
    "latency": ("seconds",),
}
"""Options that some of them are given, in the order of their arguments."""
MOST = {"panel": 30.0}
"""The most of an option that one of them takes."""
GROUPS = {"world": ("world", "world_rack", "world_pictures")}
"""Names that mean several."""


def run(name: str, asked: argparse.Namespace) -> object:
    """Run one benchmark, which prints its table; only its own module and packages are imported."""
    module = importlib.import_module(f"benchmarks.bench_{name}")
    most = MOST.get(name, math.inf)
    return module.run(*(min(getattr(asked, option), most) for option in GIVEN.get(name, ())))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(NAMES)}; all if left out")
    parser.add_argument("--only", default="", help="the same, separated by commas, one by one")
    parser.add_argument("--seconds", type=float, default=60.0, help="of the real-time benchmark")
    parser.add_argument("--waypoints", type=int, default=10_000, help="of the arm, virtual time")
    parser.add_argument("--arm-seconds", type=float, default=600.0, help="of the arm, real time")
    parser.add_argument("--json", type=Path, default=Path("benchmarks/results/latest.json"))
    parser.add_argument(
        "--publish", action="store_true",
        help="run each in a process of its own, merge what it measures into"
        " benchmarks/results.json and write docs/performance.md",
    )  # fmt: skip
    parser.add_argument(
        "--from",
        dest="source",
        type=Path,
        metavar="FILE",
        help="with --publish: take the results of this JSON file, run nothing",
    )
    parser.add_argument(
        "--limit",
        type=float,
        default=1800.0,
        help="with --publish: seconds that one benchmark may take (%(default)g)",
    )
    arguments = parser.parse_args()
    several = [one for name in arguments.names for one in GROUPS.get(name, (name,))]
    chosen = [*several, *filter(None, arguments.only.split(","))] or list(NAMES)
    if unknown := [name for name in chosen if name not in NAMES]:
        parser.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(NAMES)}")
    ordered = [name for name in NAMES if name in chosen]
    if arguments.publish and arguments.source is not None:
        publish.write(NAMES, publish.imported(arguments.source, ordered))
    elif arguments.publish:
        for name in ordered:
            options = [
                f"--{option.replace('_', '-')}={value:g}"
                for option in GIVEN.get(name, ())
                if (value := getattr(arguments, option)) != parser.get_default(option)
            ]
            publish.write(NAMES, {name: publish.measured(name, options, arguments.limit)})
    else:
        _run_here(ordered, arguments)


def _run_here(names: list[str], arguments: argparse.Namespace) -> None:
    facts = machine()
    results: dict[str, object] = {"machine": facts, "date": today()}
    print("machine:", ", ".join(f"{key} {value}" for key, value in facts.items()))
    for name in names:
        results[name] = run(name, arguments)
    arguments.json.parent.mkdir(parents=True, exist_ok=True)
    arguments.json.write_text(json.dumps(results, indent=2))
    print(f"JSON: {arguments.json}")


if __name__ == "__main__":
    main()
