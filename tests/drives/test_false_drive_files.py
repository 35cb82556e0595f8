"""One number of each kind in a drive file is wrong: the drives are refused, stopped, or not harmed.

The racks are those of the makers' rows; only the file that the bench reads is falsified. What the
drives tell themselves wins over the file (60A8h to 60AAh, 6502h), what they do not is seen in the
first motion or in the cut. What the wire cannot show stands in docs/commissioning.md.
"""

import random
from dataclasses import replace

import pytest
from campaign import SHARE, count
from canopen_bench import SETTINGS, bench, six
from hypothesis import given
from hypothesis import strategies as st
from test_canopen_types import rack_of, shipped
from test_cut_trial import lead, ready

from drives.axes.cut_trial import NOT_SEEN
from drives.axes.first_motion import SPEED_WRONG
from drives.bank import DriveAbsentError, DriveGoal, DriveSetupError
from drives.canopen.objects import Parameter
from drives.types.drive_type import DriveType, InputBits, Timer
from hil.stations.platform.cycle.gated_bank import estop_channels
from sim.devices.drive.maker_types import TYPES
from sim.devices.drive.parameters import default_nodes
from sim.devices.faults import Injection

SEED = 13
"""Draws the cases of a share."""
STOPPED_WITHIN_M = 0.002
HOME = 1 << 2
"""Home switch in 60FDh (CiA 402-2)."""
HOMED = 3000
"""Cycles in which a leg has its first motion and is homed, or has failed."""


def falsified(name, **changes):
    return replace(shipped(name), **changes)


def first_motion(name, type_, **changes):
    """The codes in which the first homing ends, and the furthest rod [m]."""
    made = rack_of(name, type_, first_motion="always", spread_m=0.03, **changes)
    made.bank.configure()
    before_m = [rod.x_m for rod in made.rack.rods]
    furthest_m = 0.0
    made.bank.request(DriveGoal.HOMED)
    for _ in range(HOMED):
        feedback = made.bank.exchange(None)
        ways_m = (abs(rod.x_m - x_m) for rod, x_m in zip(made.rack.rods, before_m, strict=True))
        furthest_m = max(furthest_m, *ways_m)
        if any(feedback.fault_code) or all(feedback.homed):
            break
    made.bank.close()
    return set(feedback.fault_code), furthest_m


IPOS_SPEED, IPOS_RAMP = 0.0152587890625, 15.2587890625
UNITS = {
    "speed too small by 60": ("ipos", {"speed_unit": f"{IPOS_SPEED / 60:.12g} increments/s"}),
    "speed too large by 60": ("ipos", {"speed_unit": f"{IPOS_SPEED * 60:.12g} increments/s"}),
    "acceleration too large": (
        "ipos",
        {"acceleration_unit": f"{IPOS_RAMP * 60:.12g} increments/s2"},
    ),
    "acceleration too small": (
        "ipos",
        {"acceleration_unit": f"{IPOS_RAMP / 600:.12g} increments/s2"},
    ),
    "position, and so increments": ("ipos", {"position_unit": "10 increments"}),
}


def some(cases):
    """The cases of a share, drawn; all of them in the whole campaign."""
    return random.Random(SEED).sample(sorted(cases), count(len(cases)))


@pytest.mark.campaign
@pytest.mark.parametrize("case", some(UNITS))
def test_a_wrong_unit_is_stopped_in_the_first_motion(case):
    print(f"seed {SEED}, share {SHARE:g}")
    name, change = UNITS[case]
    codes, furthest_m = first_motion(name, falsified(name, **change))
    assert SPEED_WRONG in codes
    assert furthest_m <= STOPPED_WITHIN_M


@pytest.mark.campaign
@pytest.mark.skipif(SHARE < 1.0, reason="the control of a campaign: every type is homed elsewhere")
def test_the_true_file_passes_the_first_motion():
    codes, _ = first_motion("ipos", shipped("ipos"))
    assert codes == {0}


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("cl4", {"position_unit": "1 deg"}, r"leg 1 .*own scale .*36000 counts/m, the rig has 36"),
        ("elmo_gold", {"feed_unit": "mm"}, r"leg 1 .*its own scale \(608Fh, 6091h, 6092h\)"),
        ("hil_emulated", {"feed_unit": "mm"}, r"leg 1 .*its own scale"),
        ("prl120", {"lacks": ("60FDh",)}, r"leg 1 .*607Dh:1.* once a drive file says"),
        ("epos4", {"lacks": (*shipped("epos4").lacks, "1016h")}, r"leg 1 .*nothing would stop it"),
        ("hil_emulated", {"lacks": ("1000h",)}, r"leg 1 .*it has no 1000h"),
    ],
)  # fmt: skip
def test_what_the_drives_contradict_is_refused(name, change, words):
    with pytest.raises(DriveSetupError, match=words):
        rack_of(name, falsified(name, **change)).bank.configure()


def test_the_modes_that_a_drive_tells_are_what_counts():
    false = falsified("ipos", modes=(7, 8))
    with pytest.raises(DriveSetupError, match=r"leg 1 .*mode 8 is not among its modes .*6502h"):
        rack_of("hil_emulated", false, emulated=TYPES["ipos"]).bank.configure()


WATCHDOGLESS = TYPES["hil_emulated"].lacking | {0x1016, *((0x1400 + k, 5) for k in range(4))}
CLAIMED = {
    "a time-out's object that does something else": {
        "timers": (Timer("vendor time-out", "6068h:0", "u16", 1e-3),)
    },
    "cycles of interpolation that nobody counts": {"interpolation_cycles": 4},
}


@pytest.mark.campaign
@pytest.mark.parametrize("claim", some(CLAIMED))
def test_a_watchdog_that_a_file_makes_up_does_not_pass_the_cut(claim):
    nodes = tuple(
        replace(node, type=replace(node.type, lacking=WATCHDOGLESS)) for node in default_nodes()
    )
    type_ = replace(shipped("hil_emulated"), lacks=("1016h", "1400h:5"), **CLAIMED[claim])
    rig = bench(replace(SETTINGS, type=type_), nodes=nodes, cut_m_s=0.0)
    feedback = ready(rig.bank)
    lead(rig.bank, 0.0, 0.004, feedback, rig.rack.rods)
    assert rig.bank.close().cut_us == six(NOT_SEEN)


def test_a_timer_in_a_wrong_unit_cannot_be_set():
    type_ = falsified("epos4", timers=(Timer("vendor time-out", "6068h:0", "u16", 1.0),))
    with pytest.raises(DriveSetupError, match=r"leg 1 .*vendor time-out .*as short as 0\.05 s"):
        rack_of("epos4", type_).bank.configure()


def inputs_told(type_):
    bank = rack_of("hil_emulated", type_).bank
    bank.configure()
    return bank.exchange(None).inputs


def test_inputs_on_bits_that_are_never_set_read_open():
    right = inputs_told(shipped("hil_emulated"))
    assert estop_channels(right) == (True, True)
    assert any(bits & HOME for bits in right)
    false = inputs_told(falsified("hil_emulated", inputs=InputBits(home=9, interlock=9)))
    assert estop_channels(false) == (False, False), "nothing is enabled then"
    assert not any(bits & HOME for bits in false), "the test move tells that it never closed"


def test_an_input_object_that_is_not_there_is_told_and_refused_with_an_emergency_stop():
    false = falsified("hil_emulated", inputs=InputBits(object="2FFFh:0"))
    report = rack_of("hil_emulated", false).bank.configure()
    assert "digital inputs (2FFFh:0): not read" in report.axes[0]
    wired = (True, True, *(False,) * 4)
    with pytest.raises(DriveSetupError, match=r"leg 1 .*2FFFh:0.*estop_fitted"):
        rack_of("hil_emulated", false, estop_inputs=wired).bank.configure()


def test_an_input_object_of_another_width_is_not_mapped():
    false = falsified("hil_emulated", inputs=InputBits(kind="u16"))
    with pytest.raises(DriveSetupError, match=r"leg 1 .*entry 1"):
        rack_of("hil_emulated", false).bank.configure()


def test_a_boot_that_takes_longer_than_the_file_says_is_refused():
    made = rack_of("hil_emulated", boot_timeout_s=0.5)
    made.rack.faults.start(Injection("absent", node=3), made.time.now)
    with pytest.raises(DriveAbsentError, match=r"leg 3 .*0\.5 s"):
        made.bank.configure()


@given(
    value=st.integers(-1000, 1000),
    slack=st.tuples(st.integers(0, 50), st.integers(0, 50)),
    ends=st.tuples(st.integers(-1100, 1100), st.integers(-1100, 1100)),
)
def test_no_range_of_a_file_makes_the_bench_ask_for_less_safety(value, slack, ends):
    asked = Parameter(0x607F, 0, "i32", value, "largest speed", less=slack[0], more=slack[1])
    type_ = DriveType(ranges=(("607Fh:0", min(ends), max(ends)),))
    written = asked.for_type(type_)
    assert asked.takes(written.value)
    for held in range(value - 60, value + 60):
        assert written.takes(held) is asked.takes(held)


def test_a_range_that_the_file_does_not_know_is_refused_with_the_key_that_says_it():
    place = (0x607F, 0)
    narrow = replace(
        TYPES["hil_emulated"], ranges={place: (1, 50_000)}, defaults={place: 2_000_000}
    )
    with pytest.raises(DriveSetupError, match=r'leg 1 .*607Fh.*\[objects.ranges\] "607Fh:0" = '):
        rack_of("hil_emulated", emulated=narrow).bank.configure()
    told = falsified("hil_emulated", ranges=(("607Fh:0", 1, 50_000),))
    report = rack_of("hil_emulated", told, emulated=narrow).bank.configure()
    assert "largest speed (607Fh:0) 50000 for 600000" in report.axes[0]


def test_a_place_that_the_drive_does_not_have_is_as_if_it_lacked_the_object():
    false = falsified("hil_emulated", instead=(("607Dh:1", "2FFFh:1"),))
    with pytest.raises(DriveSetupError, match=r"leg 1 .*607Dh:1.* once a drive file says"):
        rack_of("hil_emulated", false).bank.configure()


def test_a_place_of_something_else_reads_back_otherwise():
    false = falsified("hil_emulated", instead=(("607Dh:1", "607Dh:2"),))
    made = rack_of("hil_emulated", false)
    with pytest.raises(DriveSetupError, match=r"leg 1 .*607Dh:2 in place of .*607Dh:1"):
        made.bank.configure()
