"""Faults of sensors struck in every phase of the container task, each in a copy of the process.

One run without faults goes on; where a case begins the process forks, and the copy goes on with the
fault until its task is over. Rest is judged by the engine's speeds, contacts and drops by the
engine's contacts; of the diagram nothing is taken but its phase and the reason that it gives.

    python tests/task_station/sensor_fault_cases.py --cases 100 --seed 1
"""

import argparse
import json
import math
import os
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from hil.config.file_search import configs_dir
from hil.diagram.run.changer import DiagramChanger
from hil.run.run import play
from hil.stations.task.plan.reasons import reason_of
from hil.stations.task.plan.task_plan import TaskPlan, load_task_plan
from hil.stations.task.run.observer import TaskObserver
from hil.stations.task.run.runner import extension_of, started
from hil.stations.world.cycle.bench import WorldBench, open_bench
from hil.stations.world.cycle.loop import WorldRun
from hil.stations.world.cycle.received_sensors import faults_of_plan
from hil.stations.world.plan.sensor_fault import SensorFault
from hil.stations.world.run.judged_end import judge_end
from hil.stations.world.run.session import law_changes, signals_of
from hil.timing.clock import Tick, VirtualClock
from sim.world.robots.model import BASE

NEAR: Final = (
    "task.obstacles=[0,0]", "task.start_at_m=[0.0,-0.4]", "task.container_at_m=[1.8,0.5]",
    "task.bin_at_m=[-0.6,0.5]",
)  # fmt: skip
"""A hangar in which the ways are short."""
REST_S: Final = 0.5
"""Longest time from a fault that matters to rest [s]."""
AFTER_S: Final = 1.0
"""Time after the end of a stopped run for which the robot is watched [s]."""
CHASSIS_M_S: Final = 0.002
TURN_RAD_S: Final = 0.02
JOINT_RAD_S: Final = 0.03
JAW_M_S: Final = 0.002
"""Speeds below which a robot is at rest."""
MEAN_S: Final = 0.02
"""Time constant of their means [s]: slip of a contact by micrometres in a step is no motion."""
TYPICAL_S: Final = {
    "drive": 5.0, "dock": 3.0, "reach": 1.4, "look_1": 1.1, "look_2": 4.0, "look_3": 1.5,
    "look_4": 1.5, "over": 0.2, "lower": 0.6, "grasp": 0.4, "lift": 0.5, "check": 0.6, "raise": 0.5,
    "draw": 1.6, "stow": 0.7, "leave": 4.0, "carry": 8.0, "bin_dock": 3.5, "bin_up": 0.7,
    "bin_reach": 2.0, "bin_lower": 2.0, "rest": 0.6, "release": 0.5, "retreat": 1.5, "home": 1.4,
}  # fmt: skip
"""Phases in which faults are struck, and how long each is about [s]."""
DRIVING: Final = {"drive", "dock", "leave", "carry", "bin_dock"}
LOOKING: Final = {"look_2", "look_4", "search_1", "search_2", "search_3", "search_4"}
HOLDING: Final = {"grasp", "lift", "check", "raise", "draw", "stow", "leave", "carry", "bin_dock",
                  "bin_up", "bin_reach", "bin_lower", "rest"}  # fmt: skip
SENSORS: Final[tuple[tuple[str, tuple[str, ...], int, frozenset[str] | None], ...]] = (
    ("places", ("places",), 0, frozenset(DRIVING)),
    ("one place", ("places",), 6, frozenset(DRIVING)),
    ("left beams", ("left",), 0, frozenset({"drive", "carry"})),
    ("front beams", ("front",), 0, frozenset({"drive", "dock", "carry", "bin_dock"})),
    ("right beams", ("right",), 0, frozenset({"drive", "carry"})),
    ("all beams", ("left", "front", "right"), 0, frozenset({"drive", "dock", "carry", "bin_dock"})),
    ("one beam", ("front",), 5, frozenset({"drive", "carry"})),
    ("hand beams", ("hand",), 0, frozenset(LOOKING)),
    ("one hand beam", ("hand",), 5, frozenset(LOOKING)),
    ("one pad", ("left_pad",), 0, frozenset(HOLDING)),
    ("both pads", ("left_pad", "right_pad"), 0, frozenset(HOLDING)),
    ("arm", ("arm",), 0, None),
    ("arm positions", ("arm_position_rad",), 0, None),
    ("arm speeds", ("arm_speed_rad_s",), 0, frozenset(TYPICAL_S) - DRIVING),
    ("one arm joint", ("arm_position_rad",), 6, None),
    ("jaws", ("jaws",), 0, frozenset({*HOLDING, "release"})),
)
"""What is struck: title, sensors, values of which one is drawn (0 for all), and the phases in which
it matters; None for all of them."""
KINDS: Final = (("cut", None), ("nan", None), ("frozen", None), ("frozen", 0.3))


@dataclass(frozen=True)
class Case:
    """Fault of one case."""

    title: str
    sensors: tuple[str, ...]
    part: int | None
    kind: str
    for_s: float | None
    phase: str
    delay_s: float
    used: frozenset[str] | None

    @property
    def what(self) -> str:
        """Kind of the fault in a word."""
        return "silent" if self.for_s is not None and self.kind == "frozen" else self.kind


@dataclass
class Outcome:
    """What became of a case, by the true state."""

    title: str
    kind: str
    part: int | None
    phase: str
    at_s: float
    succeeded: bool
    reason: str
    text: str
    ended_in: str
    rest_s: float
    """From the fault to rest; to the end of a task that went on."""
    used_s: float
    """Time in phases that need the sensor, from the fault to rest."""
    contacts: int
    dropped: bool
    mover: str = ""
    """What came to rest last."""
    shortened: bool = False
    """Whether a task that went on was ended before its own end."""

    @property
    def verdict(self) -> str:
        """In a word: `rest`, `went on`, `rest later` where nothing needed it before, `failed`."""
        if self.succeeded and not self.dropped:
            return "went on"
        if self.contacts or self.dropped or self.reason != "sensor":
            return "failed"
        if self.rest_s <= REST_S:
            return "rest"
        return "rest later" if self.used_s <= REST_S else "failed"


def line_of(one: Outcome) -> str:
    """An outcome in a line."""
    part = one.part or "-"
    what = f"{one.verdict:10} {one.title:14} {one.kind:7} part {part} in {one.phase:10}"
    when = f"at {one.at_s:6.2f}: rest {one.rest_s:6.3f} used {one.used_s:6.3f}"
    flaws = f"contacts {one.contacts} " * bool(one.contacts) + "dropped " * one.dropped
    return f"{flaws}{what} {when} {one.mover:8} {one.reason:10} in {one.ended_in}: {one.text}"


def drawn_cases(count: int, seed: int, phases: Sequence[str] = tuple(TYPICAL_S)) -> list[Case]:
    """Draw cases: each sensor with each kind in turn, in one of some phases."""
    draw = random.Random(seed)
    pairs = [(sensor, kind) for sensor in SENSORS for kind in KINDS]
    draw.shuffle(pairs)
    cases = list[Case]()
    for index in range(count):
        (title, names, parts, used), (kind, for_s) = pairs[index % len(pairs)]
        phase = draw.choice(list(phases))
        part = draw.randint(1, parts) if parts else None
        delay_s = draw.random() * TYPICAL_S[phase]
        cases.append(Case(title, names, part, kind, for_s, phase, delay_s, used))
    return cases


class Watch:
    """Observer that sees the true state besides what the task's own sees."""

    def __init__(self, own: TaskObserver, bench: WorldBench, most_s: float) -> None:
        self.own, self._bench, self._most_s = own, bench, most_s
        self.shortened = False
        self._base = next(
            one.number for one in bench.robot.placed.robot.joints if one.child == BASE
        )
        self._at = bench.robot.freedoms(self._base)
        base = np.repeat((CHASSIS_M_S, TURN_RAD_S), 3)
        joints = np.where(bench.slides, JAW_M_S, JOINT_RAD_S)
        self._bounds = np.concatenate([base, joints])
        driven = [f"joint {one.joint}" for one in bench.robot.drives]
        self._names = [*("x", "y", "z", "roll", "pitch", "yaw"), *driven]
        self.mover = ""
        self._data: Any = bench.world._data
        self.case: Case | None = None
        self.fault_s, self.moved_s, self.used_s, self._in_use_s = 0.0, 0.0, 0.0, 0.0
        self._last_s = 0.0
        self._mean = np.zeros(len(self._bounds))

    def strike(self, case: Case, at_s: float) -> None:
        self.case, self.fault_s, self.moved_s = case, at_s, at_s

    def see(self, t_s: float) -> None:
        speeds = np.concatenate([self._data.qvel[self._at], self._bench.robot.speeds()])
        self._mean += min(1.0, (t_s - self._last_s) / MEAN_S) * (speeds - self._mean)
        over = np.abs(self._mean) / self._bounds
        moves = bool(over.max() > 1.0)
        if moves:
            self.mover = self._names[int(over.argmax())]
        if self.case is not None:
            if self._is_used(self.case):
                self._in_use_s += t_s - self._last_s
            if moves:
                self.moved_s, self.used_s = t_s, self._in_use_s
        self._last_s = t_s

    def _is_used(self, case: Case) -> bool:
        """Whether the task needs what is struck; pads of closing jaws from their first touch."""
        phase = self.own.phase_name
        if case.used is not None and phase not in case.used:
            return False
        return phase != "grasp" or "pad" not in case.title or self._touches()

    def _touches(self) -> bool:
        """Whether a jaw touches the grip bar or its posts."""
        model = self._bench.world._model
        pairs = [[model.body(int(model.geom_bodyid[geom])).name for geom in one.geom]
                 for one in self._data.contact[: self._data.ncon]]  # fmt: skip
        return any({"l11", "l12"} & {name.rpartition("/")[2] for name in pair}
                   and any(name.startswith("grip") for name in pair) for pair in pairs)  # fmt: skip

    def observe(self, tick: Tick, figures: Any) -> Any:
        found = self.own.observe(tick, figures)
        self.see(tick.t_s)
        return found

    def values(self) -> Any:
        return self.own.values()

    def take_row(self, row: bytes) -> None:
        self.own.take_row(row)

    @property
    def over(self) -> bool:
        self.shortened = self.case is not None and self._last_s - self.fault_s > self._most_s
        self.shortened &= not self.own._said("done") > 0.5
        return self.own.over or self.shortened

    def conclude(self, figures: Any) -> tuple[str, str]:
        return self.own.conclude(figures)


class Forks:
    """Forks the process where a case is due; the parent takes what the copy has found."""

    def __init__(self, cases: list[Case], watch: Watch, plan: TaskPlan, shown: bool) -> None:
        self._cases, self._watch, self._plan = list(cases), watch, plan
        self._begun: dict[str, float] = {}
        self.outcomes: list[Outcome] = []
        self.child = -1
        self._shown = shown

    def act(self, run: WorldRun, tick: Tick) -> None:
        name = self._watch.own.phase_name
        if self.child >= 0:
            return
        self._begun.setdefault(name, tick.t_s)
        for case in list(self._cases):
            begun_s = self._begun.get(case.phase)
            if begun_s is None or (name == case.phase and tick.t_s < begun_s + case.delay_s):
                continue
            self._cases.remove(case)
            if self._fork(run, tick, case):
                return
        if not self._cases:
            self._watch.own.over = True

    def _fork(self, run: WorldRun, tick: Tick, case: Case) -> bool:
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(read)
            self.child = write
            at_s = tick.t_s + tick.dt_s
            rows = tuple(
                SensorFault.build({"sensor": name, "part": case.part, "kind": case.kind,
                                   "at_s": at_s, "for_s": case.for_s}, "case")
                for name in case.sensors
            )  # fmt: skip
            scenario = self._plan.world.scenario.model_copy(update={"sensor_fault": rows})
            run.bench.sensors.faults = faults_of_plan(replace(self._plan.world, scenario=scenario))
            self._watch.strike(case, at_s)
            return True
        os.close(write)
        with os.fdopen(read) as pipe:
            text = pipe.read()
        os.waitpid(pid, 0)
        if not text:
            raise RuntimeError(f"no outcome of {case}")
        self.outcomes.append(Outcome(**json.loads(text)))
        if self._shown:
            one = self.outcomes[-1]
            print(line_of(one), flush=True)
        return False

    def close(self, run: WorldRun) -> None:
        pass


def watched_after(bench: WorldBench, watch: Watch, steps: int, from_s: float, stop: str) -> None:
    """Watch a robot after its run has ended: by its diagram, or by the gate if that stopped it."""
    step_s = bench.world.step_s
    for index in range(steps):
        asked = bench.source.setpoint(index)
        bench.gated.step(asked, bench.gated.found(), stop)
        watch.own.findings += watch.own._judge.look(from_s + index * step_s)
        watch.see(from_s + index * step_s)
        bench.world.step()


def run_cases(
    cases: list[Case],
    seed: int,
    changes: tuple[str, ...] = NEAR,
    *,
    most_s: float = math.inf,
    shown: bool = False,
) -> list[Outcome]:
    """Outcomes of cases in the hangar of a seed."""
    file = configs_dir() / "scenarios" / "container.toml"
    plan = started(load_task_plan(file, [f"seed={seed}", *changes]))
    bench = open_bench(plan.world)
    extension = extension_of(plan)
    own = extension.open(bench)
    assert isinstance(own, TaskObserver)
    watch = Watch(own, bench, most_s)
    forks = Forks(cases, watch, plan, shown)
    changer = DiagramChanger(plan.world.changes, plan.world.scenario.step_s)
    signals = signals_of(bench, extension)
    between = [law_changes(changer), forks]
    run = WorldRun(bench, VirtualClock(), None, signals, between=between, observer=watch)
    child = False
    try:
        play(run)
        stop = "" if run.figures.ok else "ended"
        judge_end(run.figures, watch)
        child = forks.child >= 0
        if child:
            _finish(run, bench, watch, forks, stop)
    finally:
        if forks.child >= 0:
            os._exit(0 if child else 1)
    return forks.outcomes


def _finish(run: WorldRun, bench: WorldBench, watch: Watch, forks: Forks, stop: str) -> None:
    """Write the outcome of a case to the parent."""
    case, own = watch.case, watch.own
    assert case is not None

    ended_in = own.phase_name
    failure = own.failed_by(run.figures)
    if watch.shortened and not any(one.final for one in own.findings):
        failure = None
    elif failure is not None:
        watched_after(bench, watch, round(AFTER_S / bench.world.step_s), watch._last_s, stop)
    said = reason_of(own._said("reason"))
    final = [one for one in own.findings if one.final or one.reason == "grip_lost"]
    failure = final[0] if final and final[0].final else failure
    outcome = Outcome(
        case.title, case.what, case.part, case.phase, watch.fault_s, failure is None,
        "" if failure is None else (failure.reason if said is None or final else said),
        "" if failure is None else failure.text[:150], ended_in,
        watch.moved_s - watch.fault_s, watch.used_s,
        sum(one.reason == "collision" for one in own.findings),
        any(one.reason in ("dropped", "grip_lost", "slip") for one in own.findings),
        watch.mover, watch.shortened,
    )  # fmt: skip

    with os.fdopen(forks.child, "w") as pipe:
        pipe.write(json.dumps(asdict(outcome)))


def table(outcomes: list[Outcome]) -> str:
    """Lines of counts by sensor and kind."""
    count = Counter((one.title, one.kind, one.verdict) for one in outcomes)
    verdicts = ("rest", "went on", "rest later", "failed")
    lines = [f"{'sensor':14} {'kind':7}" + "".join(f"{one:>11}" for one in verdicts)]
    for title, kind in sorted({(one.title, one.kind) for one in outcomes}):
        row = "".join(f"{count[title, kind, one]:11}" for one in verdicts)
        lines.append(f"{title:14} {kind:7}{row}")
    total = Counter(one.verdict for one in outcomes)
    lines.append(f"{'all':22}" + "".join(f"{total[one]:11}" for one in verdicts))
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1, help="of the draw, and of the hangar")
    parser.add_argument("--only", default="", help="title of what is struck")
    parser.add_argument("--phases", default="", help="phases, by spaces")
    parser.add_argument(
        "--most",
        type=float,
        default=math.inf,
        help="seconds after which a task that goes on is believed",
    )
    parser.add_argument("--set", action="append", default=[], help="changes, as of hil run")
    parser.add_argument("--json", default="", help="file for all outcomes")
    given = parser.parse_args()
    phases = given.phases.split() or tuple(TYPICAL_S)
    cases = drawn_cases(given.cases, given.seed, phases)
    cases = [one for one in cases if given.only in ("", one.title)]
    outcomes = run_cases(cases, given.seed, (*NEAR, *given.set), most_s=given.most, shown=True)
    if given.json:
        rows = [{**asdict(one), "verdict": one.verdict} for one in outcomes]
        Path(given.json).write_text(json.dumps(rows))
    print(table(outcomes))
    greatest = max((one.rest_s for one in outcomes if one.verdict == "rest"), default=math.nan)
    print(f"longest to rest: {greatest:.3f} s")


if __name__ == "__main__":
    main()
