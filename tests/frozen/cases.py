"""What is run in both trees: commands of the program, and what of their answers counts."""

from dataclasses import dataclass

SEEDS = (0, 1, 2)
FAULT_AT_S = 8.0
"""From the start of the run: in the motion of `on_drives`, which is then aloft."""


@dataclass(frozen=True)
class Case:
    """One command.

    Args:
        name: of the case, and of its folder.
        arguments: of `hil`, without `--json` and `--out`.
        records: whether it makes a recording.
    """

    name: str
    arguments: tuple[str, ...]
    records: bool = False


PLATFORM = (
    "demo", "circle", "heave", "hold_neutral", "cabin_tour", "pose_tour", "leg_test", "ship_deck",
    "vehicle_shaker", "prescribed_spectrum", "ground_motion", "street_ride", "following_error",
    "leaves_envelope", "real_time", "on_drives",
)  # fmt: skip
ARM = ("bkm_on_rm01", "circle_on_rm01", "spiral_on_rm01", "stop_and_go_on_rm01")
FAULTS = {
    "lag": 20.0, "stuck_feedback": 0.0, "feedback_jump": 0.02, "feedback_nan": 0.0,
    "lost_feedback": 0.0, "drive_fault": 8976.0, "disabled": 0.0, "blocked": 0.0,
}  # fmt: skip
"""Each kind of fault of the simulated drives, with its value."""
DRIVES = (
    "cl4", "elmo_gold", "epos4", "hil_emulated", "hil_rack", "ipos", "nanotec_modbus_rtu", "prl120",
)  # fmt: skip

ASKED = (
    "platform ik paper --pose 0.05,-0.04,0.95,5,-4,10",
    "platform ik training_simulator --pose 0.02,0.01,0.9,2,-3,4",
    "platform ik paper --pose 0,0,0.9,0,0,0 --rates 0.1,0,0.2,5,0,3",
    "platform ik paper --pose 0,0,1.9,0,0,0",
    "platform fk paper --lengths 1.1,1.12,1.14,1.1,1.13,1.11",
    "platform extremes paper",
    "platform sample paper --count 200 --seed 3",
    "arm fk rm01 --q 0,45,-180,0,45,0",
    "arm fk bkm --q 10,-20,30,20,50,60",
    "arm fk shuttle_rms",
    "arm fk puma560 --q 5,10,15,20,25,30",
    "arm ik rm01 --pose 600,150,900,90,0,0",
    "arm ik rm01 --pose 600,150,900,90,0,0 --near 10,100,-170,0,40,0",
    "arm advance bkm --rates 1,-1,0.5,2,-2,1 --ticks 20 --payload 1000",
    *(f"arm advance bkm --rates 1,-1,0.5,2,-2,1 --ticks 5 --model {model}" for model in "abcde"),
    "arm advance shuttle_rms --rates 0.5,-0.5,0.5,1,-1,1 --ticks 5",
    *(f"drives check-type {drive}" for drive in DRIVES),
    *(f"schema {kind}" for kind in (
        "scenario", "arm-scenario", "together-scenario", "robot", "arm", "rig", "drive")),
)  # fmt: skip
"""Questions that move nothing."""


def cases(*, scenarios: tuple[str, ...] = (*PLATFORM, *ARM)) -> list[Case]:
    """All cases of these scenarios; faults and questions where all scenarios are wanted."""
    found: list[Case] = []
    for name in scenarios:
        virtual = ("--set", 'clock="virtual"', "--set", f'devices.{_device(name)}="sim:"')
        check = virtual[:2] if name in ("real_time", "on_drives") else ()
        found.append(Case(f"check_{name}", ("check", name, *check)))
        if name in ARM:
            found.append(Case(f"arm_check_{name}", ("arm", "check", name)))
        for seed in SEEDS:
            run = ("run", name, *virtual, "--set", f"seed={seed}")
            found.append(Case(f"run_{name}_{seed}", run, records=True))
    if len(scenarios) == len(PLATFORM) + len(ARM):
        found += [fault_case(kind, value, seed) for kind, value in FAULTS.items() for seed in SEEDS]
        found += [Case(line.replace(" ", "_"), tuple(line.split())) for line in ASKED]
    return found


def kept_cases() -> list[Case]:
    """Those that are kept in files: every scenario and fault with one seed, some questions."""
    found = [case for case in cases() if case.records and case.name.endswith(f"_{SEEDS[0]}")]
    found += [case for case in cases() if not case.records and case.arguments[0] in _COMPUTED]
    return sorted(found, key=lambda case: _QUICK.index(case.name) if case.name in _QUICK else 99)


_COMPUTED = ("check", "platform")
_QUICK = ("run_circle_on_rm01_0", "fault_disabled_0", "run_following_error_0")
"""These are run every day."""


def fault_case(kind: str, value: float, seed: int = 0) -> Case:
    """A run whose third leg has a fault of the simulated drives."""
    fault = f'faults=[{{kind="{kind}", leg=3, start_s={FAULT_AT_S}, value={value}}}]'
    kept = ('clock="virtual"', 'devices.drives="sim:"', "check_first=false", f"seed={seed}", fault)
    changes = [word for one in kept for word in ("--set", one)]
    return Case(f"fault_{kind}_{seed}", ("run", "on_drives", *changes), records=True)


def _device(scenario: str) -> str:
    return "arm" if scenario in ARM else "drives"
