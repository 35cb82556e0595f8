"""Time of a diagram's tick: python -m benchmarks.bench_diagram [--json FILE].

Channels of eight blocks (sine, sum, gain, resetting integral, saturation, sine of an angle, lag,
magnitude), each a closed loop. One call from Python a tick, by the public `Engine.step`, and the
interpreter's; outputs of both are compared before times are taken. Beside them: from the file to
the first tick, the laws of force control for seven joints, and the peers pathsim and bdsim on
channels of what all three have (sine, sum, gain, integral, sine of an angle, magnitude), their
outputs compared too; rounds of ours and theirs alternate.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.diagram_peers import HOW, Bdsim, Pathsim, find_peers
from benchmarks.frame import main
from hil.config.file_search import configs_dir
from hil.diagram.check.diagram import check, load
from hil.diagram.file.model import Diagram, DiagramFile, DrawnBlock
from hil.diagram.file.write import save
from hil.diagram.run.change import DiagramChange
from hil.diagram.run.engine import Engine
from hil.diagram.run.tap_reader import TapReader
from hil.diagram.run.taps import TAPS_MOST, DiagramTaps
from hil.ipc.broadcast import BroadcastReader
from hil.stations.arm.sources.diagram import velocity_diagram
from hil.stations.arm.sources.source import SourceLimits

sys.path.append(str(Path(__file__).parents[1] / "tests" / "diagram"))
from interpreter.interpreter import Interpreter  # pyright: ignore[reportMissingImports]

SIZES = (48, 200, 1000)
COMPARED = 500
LOOP = {
    "sum.u1": "in.y", "sum.u2": "lag.y", "gain.u": "sum.y", "integral.u": "gain.y",
    "limit.u": "integral.y", "sin.u": "limit.y", "lag.u": "sin.y", "out.u": "lag.y",
}  # fmt: skip
PEER_SIZES = (48, 1002)
PEER_LOOP = {
    "sum.u1": "in.y", "sum.u2": "sin.y", "gain.u": "sum.y", "integral.u": "gain.y",
    "sin.u": "integral.y", "out.u": "sin.y",
}  # fmt: skip
ROUNDS = 7


def channels(blocks: int) -> DiagramFile:
    """A diagram of so many blocks, in channels of eight."""

    def parts(number: int) -> dict[str, DrawnBlock]:
        return {
            "in": DrawnBlock("Sine", {"frequency_hz": 1.0 + number}),
            "sum": DrawnBlock("Sum", {"signs": "+-"}),
            "gain": DrawnBlock("Gain", {"k": 0.7, "unit": "1/s"}),
            "integral": DrawnBlock("ResettingIntegral"), "limit": DrawnBlock("Saturation"),
            "sin": DrawnBlock("Sin"), "lag": DrawnBlock("Lag", {"time_s": 0.05}),
            "out": DrawnBlock("Abs"),
        }  # fmt: skip

    return repeated(parts, LOOP, blocks // 8)


def peer_channels(blocks: int) -> DiagramFile:
    """Likewise of six, of kinds that the peers have too."""

    def parts(number: int) -> dict[str, DrawnBlock]:
        return {
            "in": DrawnBlock("Sine", {"frequency_hz": 1.0 + 0.01 * number}),
            "sum": DrawnBlock("Sum", {"signs": "+-"}),
            "gain": DrawnBlock("Gain", {"k": 0.7, "unit": "1/s"}),
            "integral": DrawnBlock("IntegralForward"), "sin": DrawnBlock("Sin"),
            "out": DrawnBlock("Abs"),
        }  # fmt: skip

    return repeated(parts, PEER_LOOP, blocks // 6)


def repeated(
    parts: Callable[[int], dict[str, DrawnBlock]], wires: dict[str, str], count: int
) -> DiagramFile:
    """So many channels beside each other."""
    drawn: dict[str, DrawnBlock] = {}
    wired: dict[str, str] = {}
    for number in range(count):
        prefix = f"c{number:03}_"
        drawn |= {prefix + name: one for name, one in parts(number).items()}
        wired |= {prefix + target: prefix + source for target, source in wires.items()}
    return DiagramFile(Diagram(drawn, wired))


def times_us(step: Any, count: int) -> tuple[float, float]:
    """Median and 99th percentile of single calls [us]."""
    found = np.empty(count)
    for number in range(count):
        start = time.perf_counter()
        step()
        found[number] = time.perf_counter() - start
    median, late = np.percentile(1e6 * found, [50, 99])
    return float(median), float(late)


def compared(engine: Engine, interpreter: Interpreter) -> None:
    """Run both, and see that they agree bit for bit."""
    for _ in range(COMPARED):
        engine.step()
        interpreter.step()
    for path in engine.sound.flat.blocks:
        assert engine.port(path).tolist() == interpreter.port(path), path


def beside_peers(blocks: int) -> dict[str, Any]:
    """Ours and each peer on the same diagram, in rounds that alternate; times of a tick [us]."""
    file, figures = peer_channels(blocks), dict[str, Any]()
    runs: dict[str, Any] = {"ours": Engine(check(file)), "interpreter": Interpreter(check(file))}
    find_peers()
    for name, peer in (("pathsim", Pathsim), ("bdsim", Bdsim)):
        try:
            made = peer(file)
        except ImportError as error:
            figures[name] = f"not measured ({error}): {HOW}"
            continue
        agree(file, made)
        runs[name] = made
    rounds: dict[str, list[tuple[float, float]]] = {name: [] for name in runs}
    for _ in range(ROUNDS):
        for name, one in runs.items():
            rounds[name].append(times_us(one.step, 2000 if name == "ours" else 60))
    medians = {name: np.median(found, axis=0).tolist() for name, found in rounds.items()}
    ours = np.array([one[0] for one in rounds["ours"]])
    for name in medians.keys() & {"pathsim", "bdsim"}:
        ratio = np.median(np.array([one[0] for one in rounds[name]]) / ours)
        figures[f"{name}_ratio"] = float(ratio)
    return figures | medians


def agree(file: DiagramFile, peer: Any) -> None:
    """See that a peer computes what we do, on a diagram of its own."""
    engine = Engine(check(file))
    for _ in range(peer.ahead):
        engine.step()
    for _ in range(COMPARED // 10):
        engine.step()
        peer.step()
        for path in file.top.blocks:
            apart = abs(engine.port(path)[0] - peer.output(path))
            assert apart < 1e-12, (path, engine.tick, apart)


def kinematics() -> DiagramFile:
    """Forward kinematics, Jacobian and damped least squares of an arm of seven joints."""
    rows = tuple((0.1 * n, 0.2, 0.05 * n, (-1.0) ** n * np.pi / 2) for n in range(7))
    drawn = {
        "q": DrawnBlock("Constant", {"value": (0.1, 0.4, -0.3, 0.6, 0.2, -0.5, 0.3)}),
        "end": DrawnBlock("ForwardKinematics", {"dh": rows}),
        "columns": DrawnBlock("Jacobian", {"dh": rows}),
        "shift": DrawnBlock("Constant", {"value": (0.01, 0.0, -0.02), "unit": "m"}),
        "turn": DrawnBlock("Constant", {"value": (0.0, 0.1, 0.0)}),
        "solved": DrawnBlock("DampedLeastSquares", {"joints": 7}),
    }
    wired = {
        "end.q": "q.y", "columns.q": "q.y", "solved.linear": "columns.linear",
        "solved.angular": "columns.angular", "solved.shift": "shift.y", "solved.turn": "turn.y",
    }  # fmt: skip
    return DiagramFile(Diagram(drawn, wired))


def taps_us(ticks: int) -> float:
    """What it adds to a tick to tell 64 values, median of rounds that alternate [us]."""
    engine, taps = Engine(check(channels(200))), DiagramTaps.local()
    reader = TapReader(taps.choice, BroadcastReader(taps.frames.buffer))
    reader.choose(list(engine.table.ports)[:TAPS_MOST])

    def tapped() -> None:
        engine.step()
        taps.push(engine)

    tapped()
    assert len(next(reader.read()).values) == TAPS_MOST
    pairs = [(times_us(tapped, ticks)[0], times_us(engine.step, ticks)[0]) for _ in range(ROUNDS)]
    return float(np.median([ours - alone for ours, alone in pairs]))


def connection_us(ticks: int) -> float:
    """What a station's connection adds to a tick of an operator's law, median of rounds [us]."""
    path, limits = configs_dir() / "diagrams" / "handles.toml", SourceLimits(0.05, 0.2, 0.05, 0.2)
    made = velocity_diagram(path, DiagramChange(), limits, is_operated=True)
    compute, step = made.diagram.compute, made.version.engine.step
    pairs = [(times_us(compute, ticks)[0], times_us(step, ticks)[0]) for _ in range(ROUNDS)]
    return float(np.median([through - alone for through, alone in pairs]))


def run(ticks: int = 20_000) -> dict[str, Any]:
    """Measure, show, and return the figures."""
    figures: dict[str, Any] = {}
    table = Table("blocks", "tick us, median", "p99", "interpreter us", "p99", "file to tick 1 s")
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            path = Path(folder) / "channels.toml"
            save(channels(size), path)
            firsts = []
            for _ in range(3):
                start = time.perf_counter()
                Engine(load(path)).step()
                firsts.append(time.perf_counter() - start)
            sound = load(path)
            engine, interpreter = Engine(sound), Interpreter(sound)
            compared(engine, interpreter)
            mine = times_us(engine.step, ticks)
            other = times_us(interpreter.step, ticks // 20)
            figures[str(size)] = {
                "tick_us": mine, "interpreter_us": other, "first_s": sorted(firsts)[1],
            }  # fmt: skip
            cells = (*mine, *other, sorted(firsts)[1])
            table.add_row(str(size), *(f"{one:.3g}" for one in cells))
    console = Console()
    console.print(table)
    for name in ("force_joint", "force_wrist"):
        law = Engine(load(configs_dir() / "diagrams" / f"{name}.toml"))
        figures[f"{name}_us"] = times_us(law.step, ticks)
        median, late = figures[f"{name}_us"]
        console.print(f"{name}, 7 joints: {median:.3g} us, p99 {late:.3g}")
    figures["kinematics_us"] = times_us(Engine(check(kinematics())).step, ticks)
    median, late = figures["kinematics_us"]
    told = "forward kinematics, Jacobian and damped least squares, 7 joints"
    console.print(f"{told}: {median:.3g} us, p99 {late:.3g}")
    figures["taps_us"] = taps_us(ticks)
    console.print(f"64 taps add {figures['taps_us']:.3g} us to a tick of 200 blocks")
    figures["connection_us"] = connection_us(ticks)
    console.print(f"a station's connection adds {figures['connection_us']:.3g} us to a tick")
    for size in PEER_SIZES:
        figures[f"peers_{size}"] = found = beside_peers(size)
        for name, one in found.items():
            told = one if isinstance(one, str | float) else f"{one[0]:.4g} us, p99 {one[1]:.4g}"
            console.print(f"{size} blocks, {name}: {told}")
    return figures


if __name__ == "__main__":
    main(run, __doc__)
