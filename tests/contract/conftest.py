"""Each test of the contract runs on every kind of bank, and on real drives if asked to."""

import pytest
from bank_kits import EMULATED, hardware

from drives.contract.kit import NO_FAULT, GuidedBank
from hil.stations.platform.gate.order import GATE_PRIORITY
from hil.timing.realtime_setup import RealtimePolicy, RealtimeSetup


def pytest_generate_tests(metafunc):
    if "kit" in metafunc.fixturenames:
        option = metafunc.config.getoption
        kits = [*EMULATED]
        if option("--hardware"):
            kits.append(hardware(option("--hardware"), option("--rig"), option("--hardware-rate")))
        metafunc.parametrize("kit", kits, ids=[kit.name for kit in kits], scope="module")


@pytest.fixture(scope="session", autouse=True)
def punctual(pytestconfig):
    """Real drives trip when their master is late: this process asks for what the gate asks for."""
    if pytestconfig.getoption("--hardware") is None:
        yield
        return
    with RealtimeSetup(RealtimePolicy(priority=GATE_PRIORITY)):
        yield


@pytest.fixture
def bank(kit):
    """A bank that nobody has configured."""
    bank = kit.build()
    yield bank
    bank.close()


@pytest.fixture
def configured(bank):
    """A bank that has just been configured, and that no test may close."""
    bank.configure()
    yield bank
    assert bank.exchange(None).fault_code == NO_FAULT


@pytest.fixture(scope="module")
def homed(kit):
    """One homed bank for all tests of a module: homing takes long."""
    moved = GuidedBank(kit, kit.build())
    try:
        moved.bank.configure()
        moved.disable()
        moved.home()
        yield moved
    finally:
        moved.bank.close()


@pytest.fixture
def at_rest(homed):
    """The homed bank, disabled, near its reference; each test must leave it without a fault."""
    homed.disable()  # acknowledges what a pause between two tests may have done to real drives
    yield homed
    assert homed.bank.exchange(None).fault_code == NO_FAULT
    homed.lead_back()
