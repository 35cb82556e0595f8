"""A drive bus of somebody else's: its rig file, its URLs, its gate, its emulated drives."""

import io
import json
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
import third_party
from rack_bench import write_quick_rig
from third_bench import EXAMPLES, HERE, SWING, bank_plan, hil, program, scenario
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.errors import ConfigError
from hil.machines.rig.buses import bus_of
from hil.machines.rig.machine import load_rig
from hil.machines.rig.settings import Rig
from hil.recording.reader import Recording
from hil.stations.platform.drives.setup import bank_spec
from hil.stations.platform.plan.scenario import Plan, load_plan

pytestmark = pytest.mark.usefixtures("third_parts")
CROSSED = "channels = [2, 1, 4, 3, 6, 5]"


def rig_with(folder, lines):
    """A rig file whose `[drives]` has these lines."""
    path = write_quick_rig(folder)
    text = path.read_text()
    assert "\n[drives" not in text
    path.write_text(f"{text}\n[drives]\n{lines}\n")
    return path


def table_of(folder, lines):
    return load_rig(rig_with(folder, f"[drives.rodline]\n{lines}")).drives


def test_its_table_stands_in_the_rig_file_with_keys_of_its_own(tmp_path):
    drives = table_of(tmp_path, f"{CROSSED}\nanswer_within_s = 0.01")
    assert drives.rodline.channels == (2, 1, 4, 3, 6, 5)
    assert drives.model_dump(mode="json")["rodline"] == {
        "channels": [2, 1, 4, 3, 6, 5], "answer_within_s": 0.01,
    }  # fmt: skip
    assert drives.canopen.bitrate == 1_000_000


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("channels = [1, 1, 2, 3, 4, 5]", r"drives\.rodline.*each leg needs a channel of its own"),
        ("channels = [0, 1, 2, 3, 4, 5]", r"drives\.rodline\.channels\.0 = 0: .*greater than"),
        ("answer_within_s = nan", r"drives\.rodline\.answer_within_s = nan: must be a finite"),
        (
            "answer_within_s = '1 ms'",
            r"drives\.rodline\.answer_within_s = '1 ms': must be a number, without quotes",
        ),
        ("answer = 0.01", r"drives\.rodline\.answer = 0.01: unknown key"),
    ],
)
def test_each_wrong_key_of_its_table_is_refused_at_the_key(tmp_path, lines, words):
    with pytest.raises(ConfigError, match=rf"{write_quick_rig(tmp_path).name}: {words}"):
        table_of(tmp_path, lines)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("wreck", "the bus 'wreck' of hil-parts 1.0 cannot be used: parts_nowhere:BUS does not"),
        ("rodlin", r"drives\.rodlin = .*: unknown key"),
        ("odd", r"drives\.odd = .*: unknown key"),
    ],
)
def test_a_table_that_is_nobodys_or_broken_is_refused(tmp_path, name, words):
    with pytest.raises(ConfigError, match=words):
        load_rig(rig_with(tmp_path, f"[drives.{name}]\nx = 1"))


def test_a_table_that_is_left_out_has_its_defaults_or_names_the_key_that_is_needed():
    order = bank_spec(bank_plan("rodline://10.0.0.7:4001")).settings["order"]
    assert order["settings"] == {"channels": [1, 2, 3, 4, 5, 6], "answer_within_s": 0.015}
    with pytest.raises(ConfigError, match=r"\[drives.needy\]: turns is left out; it is required"):
        bank_plan("needy:")


def test_a_plan_that_was_recorded_with_it_is_read_back(tmp_path):
    rig = rig_with(tmp_path, f'url = "rodline://10.0.0.7:4001"\n[drives.rodline]\n{CROSSED}')
    plan = load_plan(scenario(tmp_path, SWING, rig=rig), ["clock=real", "devices.drives=rig"])
    again = Plan.build(plan.model_dump(mode="json"), "recording")
    assert again == plan
    assert bank_spec(again).settings["order"]["settings"]["channels"] == [2, 1, 4, 3, 6, 5]


def test_editors_are_told_its_keys():
    schema = Rig.model_json_schema()
    table = schema["$defs"]["RigDrives"]["properties"]["rodline"]
    assert table["properties"]["answer_within_s"]["maximum"] == 0.1


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("rodline://10.0.0.7", "is not rodline://HOST:PORT, with a port from 1 to 65535"),
        ("odd:3", "link 'odd:3' is not odd:ROW: IndexError: no such row"),
        ("rodlines://x:1", r"begins like none of sim:, slcan:.*, rodline://HOST:PORT.*, glide:"),
        ("wreck:", "the bus 'wreck' of hil-parts 1.0 cannot be used: parts_nowhere:BUS does not"),
        ("bankless:", "the bus 'bankless' of hil-parts 1.0 has no bank: an entry point of its"),
        ("rodline://a:1 rodline://b:2", "one URL, or two CAN buses"),
        ("slcan:/dev/a rodline://b:2", "one URL, or two CAN buses"),
    ],
)
def test_each_wrong_url_is_refused_with_what_would_have_been_right(url, words):
    with pytest.raises(ConfigError, match=rf"devices.drives = '{url}'.*{words}"):
        bank_plan(url)


def test_a_broken_bus_costs_nobody_else_anything():
    for url in ("socketcan:can0", "slcan:/dev/a slcan:/dev/b", "modbus-tcp://h:502", "glide:"):
        assert bank_plan(url).drives_url == url
    assert bus_of("socketcan:can0").protocol == "canopen"
    assert load_rig(Path("configs/rigs/paper.toml").absolute()).drives.url == "sim:"


@pytest.mark.parametrize(
    ("group", "name", "words"),
    [
        ("hil.buses", "rodline", r"the bus 'rodline' of .*hil-parts 1\.0 and rival 2 both have it"),
        ("hil.banks", "rodline", r"the bank 'rodline' of .*hil-parts 1\.0 and rival 2 both have"),
        ("hil.banks", "bankless", r"hil-parts 1\.0 has its bus and rival 2 its bank; uninstall"),
    ],
)
def test_a_scheme_of_two_distributions_is_refused_and_both_are_named(
    tmp_path, monkeypatch, group, name, words
):
    rival = tmp_path / "rival.toml"
    head = f'[project]\nname = "rival"\nversion = "2"\n[project.entry-points."{group}"]\n'
    rival.write_text(f'{head}{name} = "own_bus:BUS"\nsocketcan = "own_bus:BUS"\n')
    third_party.metadata(rival, tmp_path / "rivals")
    monkeypatch.syspath_prepend(str(tmp_path / "rivals"))
    with pytest.raises(ConfigError, match=words):
        bank_plan(f"{name}://10.0.0.7:4001")
    assert bus_of("socketcan:can0").protocol == "canopen"


@contextmanager
def controller():
    """The emulated controller on a port of this machine; yields its URL."""
    import own_bus

    from hil.machines.rig.bus_kind import Emulation
    from hil.timing.realtime import RealClock

    told, ready, over = [], threading.Event(), threading.Event()

    def say_ready(url):
        told.append(url)
        ready.set()

    rig = load_rig(Path("configs/rigs/paper.toml").absolute())
    order = Emulation(
        rig=rig, protocol="rodline", ready=say_ready, say=told.append, console=io.StringIO()
    )
    serve = own_bus.BUS.emulate(order)
    thread = threading.Thread(target=serve, args=(RealClock().now_s, over.is_set), daemon=True)
    thread.start()
    assert ready.wait(10.0)
    try:
        yield told[0]
    finally:
        over.set()
        thread.join(10.0)


def test_its_bank_keeps_every_promise_on_its_wire():
    with controller() as url:
        status, told = hil("drives", "check-bank", url, "--unpaced")
    assert status == 0, told
    assert [one["broken"] for one in told["promises"]] == [""] * 18


def test_the_gate_that_makes_its_bank_loads_no_arrays_and_no_settings():
    spec = bank_spec(bank_plan("rodline://10.0.0.7:4001"))
    program_text = (
        "import json, sys\n"
        "import hil.stations.platform.gate.process\n"
        "from hil.stations.platform.gate.spec import BankSpec, build_bank\n"
        "bank = build_bank(BankSpec.from_json(json.load(sys.stdin)), lambda: 0.0)\n"
        "print(json.dumps([type(bank._bank).__name__, *sys.modules]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program_text],
        input=json.dumps(spec.to_json()), capture_output=True, text=True, check=True,
        env=third_party.environment(HERE, EXAMPLES, Path(sys.path[0])),
    )  # fmt: skip
    name, *modules = json.loads(done.stdout)
    tops = {one.partition(".")[0] for one in modules}
    assert name == "RodlineBank"
    assert not tops & {"numpy", "pydantic", "own_bus", "sim", "canopen", "pymodbus"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("rodlines",), "'rodlines': one of canopen, modbus-rtu, modbus-tcp, rodline is needed"),
        (("wreck",), "the bus 'wreck' of hil-parts 1.0 cannot be used: parts_nowhere:BUS does not"),
        (("odd",), "'odd': one of canopen"),
        (("rodline", "--world", "paper_cabin"), "--world: the emulated drives of rodline have no"),
        (("rodline", "--buses", "2"), "--buses: the emulated drives of rodline have no use"),
    ],
)
def test_a_rack_says_whose_drives_it_can_emulate_and_what_they_have_no_use_for(arguments, words):
    done = CliRunner().invoke(app, ["drives", "rack", "--protocol", *arguments])
    assert (done.exit_code, done.stdout) == (2, "")
    assert words in done.stderr


@pytest.mark.real_time
def test_a_rig_of_its_kind_is_checked_and_run_with_its_emulated_drives(tmp_path):
    """The controller is not there, so its emulated one steps in, on the same wire."""
    url = "rodline://127.0.0.1:1"
    rig = rig_with(tmp_path, f'url = "{url}"\n[drives.rodline]\n{CROSSED}')
    gentle = SWING | {"height_m": 0.005, "duration_s": 3.0}
    file = scenario(tmp_path, gentle, rig=rig)
    slow = ("--set", "rate_hz=50", "--set", "devices.drives=rig", "--set", "clock=real")
    assert hil("check", file, *slow)[0] == 0
    ran = program(
        tmp_path, "run", file, "--json", *slow, "--fallback", "sim", "--out", tmp_path
    )  # fmt: skip
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["outcome"]) == (0, "completed"), told
    facts = Recording.open(Path(told["recording"])).metadata["run"]
    assert facts["motion_code"].startswith("swing of hil-parts 1.0 ")
    assert facts["bank_code"].startswith("rodline of hil-parts 1.0 ")
    assert facts["drives"].startswith("SIMULATED paper (rodline://127.0.0.1:")
    assert facts["drives"].endswith(f", in place of {url}, which was not there)")
    assert facts["axes"].startswith("leg 1: channel 2; leg 2: channel 1;")
