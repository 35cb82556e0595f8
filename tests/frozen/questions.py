"""Cases of the verbs that move nothing or ask for no scenario, and verbs that have no case."""

from frozen.cases import Case

DRIVES = (
    "cl4", "elmo_gold", "epos4", "hil_emulated", "hil_rack", "ipos", "nanotec_modbus_rtu", "prl120",
)  # fmt: skip
ROBOTS = (
    "anthropomorph", "continuum", "delta", "four_bar", "mf4", "mf4_wheels", "robot_a", "robot_b",
    "seven_r", "torso", "torso_claw", "walker",
)  # fmt: skip
RIDE = "{top}/configs/motions/test_drive.csv"
ASKED = (
    "platform ik paper --pose 0.05,-0.04,0.95,5,-4,10",
    "platform ik training_simulator --pose 0.02,0.01,0.9,2,-3,4",
    "platform ik paper --pose 0,0,0.9,0,0,0 --rates 0.1,0,0.2,5,0,3",
    "platform ik paper --pose 0,0,1.9,0,0,0",
    "platform fk paper --lengths 1.1,1.12,1.14,1.1,1.13,1.11",
    "platform extremes paper",
    "platform sample paper --count 200 --seed 3",
    "platform map paper --points 20 --of sigma",
    "platform map training_simulator --at 0,0,1.2 --points 20",
    "platform prove paper --scale 0.5 --no-largest",
    "platform prove training_simulator",
    "platform accuracy paper --budget 0.2mm@0.3,0,1.2 --machines 200",
    "platform size paper --for heave,ship_deck --mass 300 --centre 0,0,0.35",
    "platform size paper_cabin --for heave --scale 0.5",
    "arm fk rm01 --q 0,45,-180,0,45,0",
    "arm fk bkm --q 10,-20,30,20,50,60",
    "arm fk shuttle_rms",
    "arm fk puma560 --q 5,10,15,20,25,30",
    "arm ik rm01 --pose 600,150,900,90,0,0",
    "arm ik rm01 --pose 600,150,900,90,0,0 --near 10,100,-170,0,40,0",
    "arm advance bkm --rates 1,-1,0.5,2,-2,1 --ticks 20 --payload 1000",
    *(f"arm advance bkm --rates 1,-1,0.5,2,-2,1 --ticks 5 --model {model}" for model in "abcdef"),
    "arm advance shuttle_rms --rates 0.5,-0.5,0.5,1,-1,1 --ticks 5",
    "arm id bkm --v 1,-1,0.5,2,-2,1 --a 0.1,0,0.2,0,-0.1,0 --payload light --wrench 1,2,3,4,5,6",
    "arm id puma560 --q 5,10,15,20,25,30",
    "arm id bkm --motion bkm_on_rm01",
    "arm run circle_on_rm01",
    "arm goto rm01 --joints 10,50,-170,5,40,3",
    "arm identify rm01",
    *(f"drives check-type {drive}" for drive in DRIVES),
    "drives check-bank sim: --unpaced",
    "drives home paper --drives sim:",
    "drives park paper --drives sim:",
    "drives test paper --drives sim:",
    "drives jog paper --drives sim: --leg 2 --by 0.01",
    "drives reference paper --by me --drives sim: --at inner",
    *(f"schema {kind}" for kind in (
        "scenario", "arm-scenario", "together-scenario", "world", "simulator",
        "robot", "arm", "rig", "drive", "all")),
    "stations",
    "list",
    "host list",
    "world list",
    *(f"world show {robot}" for robot in ROBOTS),
    *(f"world check {what}" for what in (*ROBOTS, "table", "hangar", "airlock", "joint_move")),
    *(f"world fk {robot}" for robot in ("robot_a", "robot_b", "seven_r", "delta")),
    "world show table",
    "world ik robot_a --pose 500,0,500,0,0,0",
    "world jog robot_a --step 1:0.1:0.2",
    f"cue check {RIDE}",
    f"cue axes {RIDE} --first-bend left",
    f"cue ride {RIDE}",
    f"cue ride {RIDE} --algorithm mpc --seed 1",
    f"cue compare {RIDE} --algorithms classical,adaptive,optimal",
    f"cue tune {RIDE} --trials 64",
    "cue omct --tests 1,4 --frequencies 0.1,1.0",
    "diagram blocks",
    *(f"diagram {verb} {diagram}" for verb in ("check", "explain") for diagram in (
        "force_hybrid", "force_joint", "force_wrist", "handles", "heave", "robot_a", "robot_b")),
    "diagram diff robot_a robot_b",
    "diagram signals diagram_move",
    "diagram linear robot_a --from wanted_rad[1] --to torque",
    "diagram exercise list",
)  # fmt: skip
"""Questions, by their words alone."""
RECORDING = ("home", "park", "jog", "run", "goto")
"""Second words of a verb that records."""
CAR = (("python", "pythonfmu", "build", "-f", "{top}/examples/fmu_car.py"),)
SHORT = {
    "platform": ("run", "on_drives", "--set", 'clock="virtual"'),
    "arm": ("run", "circle_on_rm01"),
    "world": ("run", "joint_move"),
    "simulator": ("run", "recorded_ride", "--set", "duration_s=3"),
}
"""Station → a short run of it."""
FILES = ("cycles.csv", "cycles.events.csv")


def question_cases() -> list[Case]:
    """All of them."""
    found = [_asked(line) for line in ASKED]
    for station, words in SHORT.items():
        found += [
            Case(f"export_{station}", ("export", "{recording}", "--out", "."), before=(words,),
                 files=FILES),
            Case(f"report_{station}", ("report", "{recording}"), before=(words,)),
        ]  # fmt: skip
    for form in ("mjcf", "urdf", "toml", "dh"):
        words = ("world", "convert", "robot_a", "--to", form, "--output", f"robot.{form}")
        found.append(Case(f"world_convert_{form}", words, files=(f"robot.{form}",)))
    for name in ("motor", "valve", "wall"):
        new = ("diagram", "exercise", "new", name, "--out", "law.toml")
        found.append(Case(f"exercise_new_{name}", new, files=("law.toml",)))
        for verb in ("check", "run"):
            words = ("diagram", "exercise", verb, "law.toml")
            found.append(Case(f"exercise_{verb}_{name}", words, before=(new,)))
    eds = "{top}/configs/eds/hil_emulated_drive.eds"
    return [
        *found,
        Case("rerun", ("world", "rerun", "{recording}"), before=(SHORT["world"],)),
        Case("diagram_run", ("diagram", "run", "heave", "--for", "1", "--out", "heave.csv"),
             files=("heave.csv",)),
        Case("diagram_draw", ("diagram", "draw", "robot_a", "--out", "a.svg"), files=("a.svg",)),
        Case("drives_import", ("drives", "import", eds, "--out", "drive.toml"),
             files=("drive.toml",)),
        Case("world_send", ("world", "send", "--seconds", "2", "--file", "suit.csv"),
             files=("suit.csv",)),
        Case("arm_play", ("arm", "play", "rm01", "{top}/tests/frozen/poses.csv"),
             records=True),
        Case("fmu_info", ("fmu", "info", "FmuCar.fmu"), before=CAR),
        Case("fmu_check", ("fmu", "check", "FmuCar.fmu", "--trust"), before=CAR),
        Case("fmu_run", ("fmu", "run", "FmuCar.fmu", "--trust", "--seconds", "1", "--output",
                         "car.csv"), before=CAR, files=("car.csv",)),
        Case("fmu_export", ("fmu", "export", "paper", "--output", "paper.fmu")),
    ]  # fmt: skip


def _asked(line: str) -> Case:
    words = tuple(line.split())
    records = words[0] in ("arm", "drives", "world") and words[1] in RECORDING
    return Case(line.replace(RIDE, "test_drive").replace(" ", "_"), words, records=records)


NO_CASE = {
    "arm emulate": "a device in real time",
    "platform design": "minutes of a search; tests/platform_station holds its figures",
    "arm cost": "its figures are times and counts; tests/space_arm holds the counts",
    "arm jog": "asks a person to hold a key",
    "arm simplify": "its references take minutes; tests/space_arm holds its figures",
    "arm table": "the study of 1993 takes minutes; tests/space_arm holds its figures",
    "campaign replay": "it judges itself: it compares with the campaign's own table",
    "campaign run": "its runs are those of `run`; tests/campaigns judges their table",
    "diagram bench": "its figures are times, its verdict is of them",
    "diagram edit": "a window",
    "doctor": "its figures are the machine's",
    "drives faults": "asks a bus, in real time",
    "drives rack": "a device in real time",
    "drives scan": "asks a bus, in real time",
    "host check": "hears a host, in real time",
    "host emulate": "a host in real time",
    "host latency": "its figures are times",
    "host listen": "hears a host, in real time",
    "host record": "hears a host, in real time",
    "panel": "a window",
    "platform forces": "tests/platform_station/test_machine_check.py judges its figures",
    "warm": "its figures are times; it does nothing where it was done",
    "world view": "a window",
}
"""Verbs that no case asks → why."""
