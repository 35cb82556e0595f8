"""Cases of the shipped scenarios, derived from their files, and of every fault that is simulated.

What has the real clock gets the virtual one, and devices are `sim:`, so that two runs are alike.
"""

import tomllib
from pathlib import Path

from frozen.cases import SEEDS, Case

TOP = Path(__file__).parents[2]
SCENARIOS = TOP / "configs" / "scenarios"
SEEDED = ("platform", "arm", "simulator", "task")
"""Stations whose runs a seed changes: four of them. A virtual environment has no chance in it."""
DEVICES = {"platform": "drives", "arm": "arm", "simulator": "drives"}
"""Station → its key of `devices`."""


def _station(file: Path) -> str:
    table = tomllib.loads(file.read_text("utf-8"))
    return table.get("station", "platform")


SHIPPED = {file.stem: _station(file) for file in sorted(SCENARIOS.glob("*.toml"))}
"""Name of each shipped scenario → its station."""
SHORTER = {"drive_live": 20, "flight_live": 20, "live_demo": 30, "fmu_vehicle": 10}
"""Scenarios of minutes → how long they are here [s]."""
CHANGES = {
    "flight_live": ('source.emulated.feed="flight"',),
    "live_demo": ('source.emulated.feed="flight"',),
}
"""What else is changed: the emulated flight is our own, whether or not JSBSim is installed."""
WORDS = {"fmu_vehicle": ("--trust",)}
BEFORE = {
    "fmu_vehicle": (("python", "pythonfmu", "build", "-f", "{top}/examples/fmu_car.py"),),
}
"""What has to be there: the FMU is built, not shipped."""
CHECK_ONLY: dict[str, str] = {}
"""Scenarios that cannot be run alike twice → why; only their `check` is compared."""
NOT_KEPT = {
    "run_platform_and_arm_0": "its parts are kept as runs of their own",
    "run_arm_rides_platform_0": "its parts are kept as runs of their own",
    "run_fmu_vehicle_0": "its FMU is built by another program",
    "check_fmu_vehicle": "its FMU is built by another program",
    "run_recorded_ride_0": "takes more than 20 s",
    "run_container_0": "takes more than 20 s",
    "check_container": "does all of the task, as its run does",
    "run_valve_0": "takes more than 20 s",
    "check_valve": "does all of the task, as its run does",
}
"""Cases that no thin copy holds → why."""
FAULT_AT_S = 8.0
"""From the start of the run: in the motion of `on_drives`, which is then aloft."""
FAULTS = {
    "lag": 20.0, "stuck_feedback": 0.0, "feedback_jump": 0.02, "feedback_nan": 0.0,
    "lost_feedback": 0.0, "drive_fault": 8976.0, "disabled": 0.0, "blocked": 0.0,
}  # fmt: skip
"""Each kind of fault of the simulated drives, with its value."""
HOST_FAULTS = {
    "pause": "pause duration_s=1.2 at_s=4", "menu": "menu duration_s=1.2 at_s=4",
    "replay": "replay value=3 duration_s=1.2 at_s=4", "reset": "reset at_s=4",
    "teleport": "teleport value=500 at_s=4", "backward": "backward value=2 at_s=4",
    "slow": "slow value=0.4 duration_s=1.5 at_s=4", "stall": "stall duration_s=1 at_s=4",
    "frozen": "frozen duration_s=1.2 at_s=4", "nan": "nan duration_s=1 at_s=4",
    "spike": "spike value=60 at_s=4", "loop": "loop value=4 at_s=4",
    "truncated": "truncated value=0.5 duration_s=1 at_s=4", "second": "second duration_s=2 at_s=4",
    "restart": "restart at_s=4", "end": "end at_s=4",
}  # fmt: skip
"""Each kind of fault of an emulated host, 4 s into the ride. Faults of an emulated arm, of racks
and of wires are typed at a device in a process of its own, in real time: tests/faults has them."""
RIDE_S = 9
"""Of a ride with a fault of its host."""


def scenario_cases(name: str) -> list[Case]:
    """Its check, and its run with each seed that matters."""
    station, before = SHIPPED[name], BEFORE.get(name, ())
    check = _check_case(name, station, before)
    found = [check]
    if station == "arm":
        found.append(Case(f"arm_check_{name}", ("arm", "check", name)))
    if name in CHECK_ONLY:
        return found
    for seed in SEEDS if station in SEEDED else SEEDS[:1]:
        own = [*_changes(name, station), *([f"seed={seed}"] if station in SEEDED else [])]
        words = ("run", name, *sets(own), *WORDS.get(name, ()))
        found.append(Case(f"run_{name}_{seed}", words, records=True, before=before))
    return found


def _check_case(name: str, station: str, before: tuple[tuple[str, ...], ...]) -> Case:
    own = [one for one in _changes(name, station) if not one.startswith("devices.")]
    own = [] if name not in SHORTER and not _is_real(name) else own
    words = ("check", name, *sets(own), *WORDS.get(name, ()))
    return Case(f"check_{name}", words, before=before)


def _is_real(name: str) -> bool:
    table = tomllib.loads((SCENARIOS / f"{name}.toml").read_text("utf-8"))
    return table.get("clock", "virtual") == "real"


def _changes(name: str, station: str) -> list[str]:
    if station not in DEVICES:
        return []  # the parts of several stations have no keys here
    found = ['clock="virtual"', f'devices.{DEVICES[station]}="sim:"', *CHANGES.get(name, ())]
    return [*found, f"duration_s={SHORTER[name]}"] if name in SHORTER else found


def fault_case(kind: str, value: float, seed: int = 0) -> Case:
    """A run whose third leg has a fault of the simulated drives."""
    fault = f'faults=[{{kind="{kind}", leg=3, start_s={FAULT_AT_S}, value={value}}}]'
    kept = ('clock="virtual"', 'devices.drives="sim:"', "check_first=false", f"seed={seed}", fault)
    return Case(f"fault_{kind}_{seed}", ("run", "on_drives", *sets(kept)), records=True)


def fault_cases() -> list[Case]:
    """Each fault of the simulated drives with each seed."""
    return [fault_case(kind, value, seed) for kind, value in FAULTS.items() for seed in SEEDS]


def host_fault_case(kind: str, seed: int = 0) -> Case:
    """A ride whose host has a fault."""
    kept = (
        'source.emulated.feed="flight"', f'source.emulated.faults=["{HOST_FAULTS[kind]}"]',
        f"duration_s={RIDE_S}", f"seed={seed}",
    )  # fmt: skip
    return Case(f"host_{kind}_s{seed}", ("run", "live_demo", *sets(kept)), records=True)


def host_fault_cases() -> list[Case]:
    """Each fault of an emulated host with each seed."""
    return [host_fault_case(kind, seed) for kind in HOST_FAULTS for seed in SEEDS]


def sets(changes: list[str] | tuple[str, ...]) -> tuple[str, ...]:
    """Changes of keys as words of the program."""
    return tuple(word for one in changes for word in ("--set", one))
