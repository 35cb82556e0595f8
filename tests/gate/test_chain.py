"""The watchdog chain: drive <- gate <- control, fed by completed cycles and by nothing else."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from gate_bench import LIMITS, PERIOD_S, sim_spec

import drives
import hil.stations.platform.gate
import safety
from drives.axes.scaling import LegScale
from drives.bank import DriveSetupError
from hil.stations.platform.gate.gate_clock import GateClock
from hil.stations.platform.gate.order import GATE_PRIORITY, GateOrder
from hil.stations.platform.gate.remote import RemoteGate
from hil.stations.platform.gate.spec import BankSpec, build_bank
from hil.timing.clock import Tick
from hil.timing.realtime import RealClock
from hil.timing.realtime_setup import RealtimePolicy
from safety.modes import Request

GATE = Path(hil.stations.platform.gate.__file__).parent
ALLOWED = {
    "hil",
    "hil.config",
    "hil.ipc.library_settings",
    "hil.stations",
    "hil.stations.platform",
    "hil.timing",
    "hil.timing.clock",
    "hil.stations.platform.gate",
    "hil.stations.platform.gate.bank_spec",
    "hil.stations.platform.gate.black_box",
    "hil.stations.platform.gate.control_state",
    "hil.stations.platform.gate.order",
    "hil.stations.platform.gate.place_record",
    "hil.stations.platform.gate.process",
    "hil.stations.platform.gate.server",
    "hil.stations.platform.gate.command_slot",
    "hil.stations.platform.gate.spec",
    "hil.stations.platform.gate.status",
    "hil.stations.platform.cycle",
    "hil.stations.platform.cycle.gated_bank",
    "hil.recording",
    "hil.recording.signals",
    "hil.stations.platform.signals",
    "hil.config.build",
    "hil.config.drawn",
    "hil.config.files",
    "hil.config.inputs",
    "hil.config.installation",
    "hil.timing.realtime",
    "hil.timing.realtime_setup",
    "hil.ipc",
    "hil.ipc.latest",
    "hil.ipc.memory",
    "hil.ipc.ring",
}
FORBIDDEN_NAMES = {"threading", "sched", "asyncio", "concurrent", "signal.setitimer", "Timer"}

BARE = "import json, sys; json.dump(sorted(sys.modules), sys.stdout)"
LISTING = f"import hil.stations.platform.gate.process; {BARE}"


def modules_after(program):
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout
    return set(json.loads(out))


def test_the_process_imports_the_standard_library_drives_safety_and_little_else():
    bare, modules = modules_after(BARE), modules_after(LISTING)
    ours = {name for name in modules if name.split(".")[0] == "hil"}
    assert ours <= ALLOWED, ours - ALLOWED
    known = set(sys.stdlib_module_names) | {"hil", "hil_common", "drives", "safety"}
    # What every interpreter here loads at its start (coverage, say) is not the gate's.
    strange = {name for name in modules - bare if name.split(".")[0] not in known}
    assert not strange


def test_a_started_process_has_loaded_no_library_for_a_bus_it_does_not_use():
    """What a real gate's process has in memory when its bank cannot be built: no numpy, nothing."""
    order = b'{"spec": null}\n'
    ended = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "hil.stations.platform.gate.process"],
        input=order, capture_output=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 2
    assert "the order cannot be read" in json.loads(ended.stdout)["refused"]
    names = {line.rsplit(b"|", 1)[1].strip().decode() for line in ended.stderr.splitlines()}
    tops = {name.split(".")[0] for name in names}
    assert not tops & {"numpy", "numba", "pydantic", "typer", "rich", "orjson", "can", "pymodbus"}


@pytest.mark.parametrize("package", [hil.stations.platform.gate, safety, drives])
def test_nothing_that_the_gate_is_made_of_starts_a_thread_or_a_timer_for_the_cycle(package):
    """`drives` may serve parameters in a thread; the gate, safety and their bank may not."""
    folder = Path(package.__file__).parent
    files = list(folder.rglob("*.py")) if package is not drives else [folder / "bank.py"]
    for path in files:
        for node in ast.walk(ast.parse(path.read_text())):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or "", *(alias.name for alias in node.names)]
            elif isinstance(node, ast.Attribute):
                names = [node.attr]
            assert not set(names) & FORBIDDEN_NAMES, f"{path}: {names}"
            assert "send_periodic" not in names, path


def test_the_running_gate_is_one_thread(monkeypatch):
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)  # nobody else has seen to it
    gate = RemoteGate(
        sim_spec(),
        LIMITS,
        RealClock().now_s,
        policy=RealtimePolicy(priority=None, lock_memory=False, keep_awake=False),
    )
    gate.open()
    try:
        for tick in gate.clock.ticks(PERIOD_S):
            gate.cycle(tick, None, (Request.CONFIGURED,))
            if tick.index > 20:
                break
        assert len(os.listdir(f"/proc/{gate.pid}/task")) == 1
        assert os.getsid(gate.pid) == gate.pid, "in a session of its own"
        ignored = int(_status(gate.pid, "SigIgn"), 16)
        for number in (1, 2, 15):
            assert ignored >> (number - 1) & 1, f"signal {number} is ignored"
    finally:
        gate.close()


def _status(pid, key):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(key):
            return line.split(":")[1].strip()
    raise AssertionError(key)


def test_the_order_comes_through_bit_for_bit():
    scales = tuple(LegScale(1e6 / 3.0, (-1) ** i, 0.1 + 0.2 * i) for i in range(6))
    spec = BankSpec("socketcan:can0", "rig", 0.1 + 0.2, scales, {"node_ids": [1, 2]})
    order = GateOrder(spec, LIMITS, 5, 6, 7, 2.0, "/tmp/x", policy=RealtimePolicy(priority=70))
    line = order.to_line()
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    again = GateOrder.from_line(line)
    assert again == order
    assert again.limits.digest() == LIMITS.digest()


def test_the_gate_runs_above_control():
    control = RealtimePolicy().priority
    assert control is not None
    assert control < GATE_PRIORITY
    assert GateOrder(sim_spec(), LIMITS, 1, 2, 3, 1.0).policy.priority == GATE_PRIORITY


@pytest.mark.parametrize("part", ["spec", "limits", "slot_fd", "hold_alone_s"])
def test_an_order_without_a_part_is_refused(part):
    data = json.loads(GateOrder(sim_spec(), LIMITS, 1, 2, 3, 1.0).to_line())
    del data[part]
    with pytest.raises((KeyError, TypeError)):
        GateOrder.from_line(json.dumps(data).encode())


def test_an_order_with_half_the_limits_is_refused():
    data = json.loads(GateOrder(sim_spec(), LIMITS, 1, 2, 3, 1.0).to_line())
    del data["limits"]["following_base_m"]
    with pytest.raises(TypeError, match="following_base_m"):
        GateOrder.from_line(json.dumps(data).encode())


class Paced:
    overruns = 3
    last_tick: Tick | None = None

    def now_s(self):
        return 12.5


def test_the_clock_of_the_loop_is_the_gate():
    gate = Paced()
    clock = GateClock(gate)
    ticks = clock.ticks(0.25)
    first = next(ticks)
    assert (first.index, first.t_s, first.dt_s, first.late_s) == (0, 0.0, 0.25, 0.0)
    gate.last_tick = type(first)(7, 1.75, 0.26, 0.01)
    after = next(ticks)
    assert (after.index, after.t_s, after.dt_s, after.late_s) == (8, 2.0, 0.26, 0.01)
    assert (clock.overruns, clock.now_s()) == (3, 12.5)


@pytest.mark.parametrize("period_s", [0.0, -1.0, float("nan"), float("inf")])
def test_a_period_that_is_none_is_refused(period_s):
    with pytest.raises(ValueError, match="period_s"):
        GateClock(Paced()).ticks(period_s)


@pytest.mark.parametrize(
    ("url", "scales"), [("sim:", (LegScale(1e6, 1, 0.6),) * 6), ("socketcan:can0", ())]
)
def test_a_bank_that_cannot_be_is_refused(url, scales):
    with pytest.raises(ValueError, match=rf"scales for a bank at {url}: [06] are needed"):
        BankSpec(url, "x", 0.004, scales)


def test_a_bank_that_nobody_offers_is_refused():
    spec = BankSpec("usb:", "x", 0.004, (LegScale(1e6, 1, 0.6),) * 6)
    with pytest.raises(DriveSetupError, match="the bank 'usb' cannot be used: it is not installed"):
        build_bank(spec, lambda: 0.0)
