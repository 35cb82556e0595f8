"""Time of a diagram's tick: python -m benchmarks.bench_diagram [--json FILE].

Channels of eight blocks (sine, sum, gain, resetting integral, saturation, sine of an angle, lag,
magnitude), each a closed loop. One call from Python a tick, by the public `Engine.step`, and the
interpreter's; outputs of both are compared before times are taken. Beside them: from the file to
the first tick, and the joint law of force control for seven joints.
"""

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.frame import main
from hil.config.shipped import configs_dir
from hil.diagram.check import load
from hil.diagram.engine import Engine
from hil.diagram.interpreter.interpreter import Interpreter
from hil.diagram.model import Diagram, DiagramFile, DrawnBlock
from hil.diagram.write import save

SIZES = (48, 200, 1000)
COMPARED = 500
LOOP = {
    "sum.u1": "in.y", "sum.u2": "lag.y", "gain.u": "sum.y", "integral.u": "gain.y",
    "limit.u": "integral.y", "sin.u": "limit.y", "lag.u": "sin.y", "out.u": "lag.y",
}  # fmt: skip


def channels(blocks: int) -> DiagramFile:
    """A diagram of so many blocks, in channels of eight."""
    drawn: dict[str, DrawnBlock] = {}
    wires: dict[str, str] = {}
    for number in range(blocks // 8):
        parts = {
            "in": DrawnBlock("Sine", {"frequency_hz": 1.0 + number}),
            "sum": DrawnBlock("Sum", {"signs": "+-"}),
            "gain": DrawnBlock("Gain", {"k": 0.7, "unit": "1/s"}),
            "integral": DrawnBlock("ResettingIntegral"), "limit": DrawnBlock("Saturation"),
            "sin": DrawnBlock("Sin"), "lag": DrawnBlock("Lag", {"time_s": 0.05}),
            "out": DrawnBlock("Abs"),
        }  # fmt: skip
        prefix = f"c{number:03}_"
        drawn |= {prefix + name: one for name, one in parts.items()}
        wires |= {prefix + target: prefix + source for target, source in LOOP.items()}
    return DiagramFile(Diagram(drawn, wires))


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
    law = Engine(load(configs_dir() / "diagrams" / "force_joint.toml"))
    figures["force_joint_us"] = times_us(law.step, ticks)
    console = Console()
    console.print(table)
    console.print(f"force_joint, 7 joints: {figures['force_joint_us'][0]:.3g} us")
    return figures


if __name__ == "__main__":
    main(run, __doc__)
