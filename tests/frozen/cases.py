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

ASKED = {
    "platform_ik": "platform ik paper --pose 0.05,-0.04,0.95,5,-4,10",
    "platform_ik_rates": "platform ik paper --pose 0,0,0.9,0,0,0 --rates 0.1,0,0.2,5,0,3",
    "platform_fk": "platform fk paper --lengths 1.1,1.12,1.14,1.1,1.13,1.11",
    "platform_extremes": "platform extremes paper",
    "platform_sample": "platform sample paper --count 200 --seed 3",
    "arm_fk": "arm fk rm01 --q 0,45,-180,0,45,0",
    "arm_fk_space": "arm fk bkm --q 10,-20,30,40,50,60",
    "arm_ik": "arm ik rm01 --pose 600,150,900,90,0,0",
    "arm_advance": "arm advance bkm --rates 1,-1,0.5,2,-2,1 --ticks 20 --payload 1000",
    "schema_scenario": "schema scenario",
    "schema_arm": "schema arm-scenario",
    "schema_rig": "schema rig",
}


def cases(*, scenarios: tuple[str, ...] = (*PLATFORM, *ARM)) -> list[Case]:
    """All cases of these scenarios; faults and questions where all scenarios are wanted."""
    found: list[Case] = []
    for name in scenarios:
        virtual = ("--set", 'clock="virtual"', "--set", f'devices.{_device(name)}="sim:"')
        check = virtual[:2] if name in ("real_time", "on_drives") else ()
        found.append(Case(f"check_{name}", ("check", name, *check)))
        for seed in SEEDS:
            run = ("run", name, *virtual, "--set", f"seed={seed}")
            found.append(Case(f"run_{name}_{seed}", run, records=True))
    if len(scenarios) == len(PLATFORM) + len(ARM):
        found += [fault_case(kind, value) for kind, value in FAULTS.items()]
        found += [Case(name, tuple(line.split())) for name, line in ASKED.items()]
    return found


def fault_case(kind: str, value: float) -> Case:
    """A run whose third leg has a fault of the simulated drives."""
    fault = f'faults=[{{kind="{kind}", leg=3, start_s={FAULT_AT_S}, value={value}}}]'
    changes = ("--set", 'clock="virtual"', "--set", "check_first=false", "--set", fault)
    return Case(f"fault_{kind}", ("run", "on_drives", *changes), records=True)


def _device(scenario: str) -> str:
    return "arm" if scenario in ARM else "drives"
