"""Banks of drives of somebody else's distribution: their promises, and the gate that keeps them."""

import json
import sys
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest
from gate_bench import LIMITS, SPEED, START, InlineGate
from third_bench import EXAMPLES, SWING, bank_plan, hil, plan_of
from typer.testing import CliRunner

from drives.bank import DriveSetupError
from drives.plugin_bank import BankOrder, PluginBank
from hil.cli.main import app
from hil.config.errors import ConfigError
from hil.stations.platform.commissioning.bank_check import bank_kit
from hil.stations.platform.drives.setup import bank_spec
from hil.stations.platform.gate import process
from hil.stations.platform.gate.order import GateOrder
from hil.stations.platform.gate.spec import build_bank
from hil.timing.clock import VirtualClock
from safety.modes import Mode

pytestmark = pytest.mark.usefixtures("third_parts")


def test_a_url_of_nobody_is_refused_with_all_that_there_are():
    with pytest.raises(ConfigError, match=r"begins like none of sim:.*, glide:, lost:"):
        bank_plan("glid:x")


@pytest.mark.parametrize(
    ("url", "keys", "words"),
    [
        ("glide:", {"fallback": "sim"}, "nothing emulates the drives of glide"),
        ("glide:a glide:b", {}, "one URL, or two CAN buses"),
    ],
)
def test_what_a_bank_of_others_cannot_do_is_refused(url, keys, words):
    with pytest.raises(ConfigError, match=words):
        bank_plan(url, **keys)


def test_a_dry_run_is_not_for_a_bank_of_others():
    with pytest.raises(ConfigError, match='need clock = "real"'):
        plan_of(SWING, devices={"drives": "glide:"})


def test_a_good_bank_keeps_every_promise():
    status, told = hil("drives", "check-bank", "glide:", "--unpaced")
    assert status == 0
    assert (told["ok"], told["url"]) == (True, "glide:")
    assert [one["broken"] for one in told["promises"]] == [""] * 18


def test_so_do_the_simulated_cylinders():
    assert hil("drives", "check-bank", "sim:", "--unpaced")[0] == 0


@pytest.mark.parametrize(
    ("fault", "promise", "words"),
    [
        ("deaf", "follows_and_says_what_was_sent", "leg 1: length is"),
        ("swapped", "leads_each_leg_by_its_own_setpoint", "leg 2: length is"),
        ("unchecked", "refuses_what_is_no_number", "length_m = nan for leg 1 is accepted"),
        ("runaway", "moves_nothing_while_disabled", "leg 1: length is"),
        ("eager", "is_not_enabled_before_it_is_homed", "leg 1 is enabled, disabled is right"),
        ("forgetful", "leaves_a_quick_stop_through_disabled", "leg 1 is enabled, quick_stop"),
        ("immortal", "refuses_calls_out_of_order", "a call after close() is accepted"),
        ("fragile", "closes", "raised DriveSequenceError: closed already"),
        ("silent", "follows_and_says_what_was_sent", "accepted is None though a setpoint"),
        ("stale", "powers_up_at_rest", "fresh is (False,"),
        ("arrays", "returns_values_that_stay", "length_m is array("),
        ("mute", "says_what_it_set", "axes are (): one line per leg is right"),
        ("homeless", "homes", "HOMED is not reached within 60 s"),
        ("after", "leads_each_leg_by_its_own_setpoint", "raised ValueError: the adapter says"),
        ("atonce", "powers_up_at_rest", "raised RuntimeError: no current"),
        ("unset", "says_what_it_set", "raised RuntimeError: no current"),
        ("unmade", "says_what_it_set", "raised RuntimeError: no licence"),
    ],
)
def test_each_planted_fault_is_found(fault, promise, words):
    status, told = hil("drives", "check-bank", f"faulty:{fault}", "--unpaced")
    assert (status, told["ok"]) == (1, False)
    broken = {one["name"]: one["broken"] for one in told["promises"] if one["broken"]}
    assert words in broken[promise]


def test_real_drives_are_not_led_without_the_gate_unless_told_to():
    status, told = hil("drives", "check-bank", "faulty:real", "--unpaced")
    assert status == 1
    assert "nothing has moved: the drives at faulty:real are not simulated" in told["error"]
    assert hil("drives", "check-bank", "faulty:real", "--unpaced", "--real")[0] == 0


def test_a_check_says_one_line_for_each_promise():
    done = CliRunner().invoke(app, ["drives", "check-bank", "faulty:mute", "--unpaced"])
    lines = done.stdout.splitlines()
    assert (done.exit_code, len(lines)) == (1, 19)
    assert lines[0] == "broken says what it set: axes are (): one line per leg is right"
    assert lines[-1] == "17 of 18 promises are kept"


def test_a_bank_that_does_not_load_is_refused_with_the_reason():
    status, told = hil("drives", "check-bank", "lost:")
    assert status == 2
    assert "hil-parts: package 'parts_nowhere' is not there; install it anew" in told["error"]


def watched(fault):
    """The gate's own view of a faulty bank on the paper rig, its legs homed and half-way out."""
    from parts_faulty import make

    def homed(order, now_s):
        bank = make(order, now_s)
        bank._length_m, bank._homed = list(START), True
        return bank

    data = bank_spec(bank_plan(f"faulty:{fault}")).settings["order"]
    order = BankOrder.from_json(json.loads(json.dumps(data)))
    return PluginBank(homed, order, lambda: 0.0, "'faulty' of hil-parts 1.0")


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("after", "failed in a cycle: ValueError: the adapter says 0xBAD"),
        ("lost", "failed in a cycle: LinkLostError: /dev/glide has gone"),
        ("leaves", "failed in a cycle: SystemExit: 7"),
        ("nonsense", "failed in a cycle: TypeError: length_m holds 5 values"),
        ("text", "failed in a cycle: TypeError: exchange() returned str"),
        ("nan", "failed in a cycle: TypeError: speed_m_s is ('fast'"),
    ],
)
def test_what_a_bank_raises_or_returns_in_the_cycle_is_a_class_a_stop(fault, words):
    gate = InlineGate(bank=watched(fault)).moving(20)
    for _ in range(200):
        status = gate.turn(gate.ask(SPEED))
        if status.verdict.mode is not Mode.ENGAGED:
            break
    assert status.verdict.mode is Mode.QSTOP, status.verdict
    first = status.verdict.faults[0]
    assert str(first).startswith(f"drive: bank 'faulty' of hil-parts 1.0 {words}")
    gate.until(Mode.FAULT, cycles=2000)
    assert gate.history[-1].verdict.drives.name == "OFF"


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("unmade", "bank 'faulty' of hil-parts 1.0 cannot be made: RuntimeError: no licence"),
        ("unset", "cannot be configured: RuntimeError: no current"),
        ("atonce", "failed in its first cycle: RuntimeError: no current"),
        ("mute", "cannot be configured: TypeError: its report has 0 axes"),
    ],
)
def test_a_bank_that_fails_before_it_moves_is_refused(fault, words):
    with pytest.raises(DriveSetupError, match=words):
        InlineGate(bank=watched(fault))


def test_its_code_is_loaded_and_called_before_real_time_rights_are_taken(monkeypatch):
    import parts_faulty

    told, make = [], parts_faulty.make

    class Rights(nullcontext):
        def __init__(self, policy):
            told.append("rights")
            super().__init__(SimpleNamespace(items=()))

    def told_make(order, now_s):
        told.append("made")
        return make(order, now_s)

    monkeypatch.setattr(parts_faulty, "make", told_make)
    monkeypatch.setattr(process, "RealtimeSetup", Rights)
    monkeypatch.setattr(process, "_say", lambda **answer: told.append(answer["refused"]))
    for name in ("ControlWire", "ControlWatch"):
        monkeypatch.setattr(process, name, lambda fd: MagicMock())
    for name in ("CommandSlot", "Ring"):
        monkeypatch.setattr(process, name, MagicMock())
    spec = bank_spec(bank_plan("faulty:unset"))
    order = GateOrder(spec, LIMITS, 0, 0, 0, 1.0)
    assert process.run_gate(order, VirtualClock()) == 2
    assert told[:2] == ["made", "rights"]
    assert "cannot be configured" in told[2]


def test_code_that_is_not_what_control_found_is_refused():
    spec = bank_spec(bank_plan("glide:"))
    origin = f"glide of hil-parts 1.0 {EXAMPLES} sha256:"
    assert spec.settings["origin"].startswith(origin)
    other = replace(spec, settings={**spec.settings, "origin": origin + 64 * "0"})
    with pytest.raises(DriveSetupError, match="and not what control has found: glide of hil-parts"):
        build_bank(other, lambda: 0.0)


def test_control_imports_no_bank_of_others():
    assert bank_plan("glide:").drives_url == "glide:"
    assert "own_bank" not in sys.modules
    bank_kit(bank_plan("glide:"), paced=False)
    assert "own_bank" in sys.modules
