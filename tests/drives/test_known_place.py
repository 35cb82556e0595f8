"""Drives with absolute encoders: no homing motion, and no motion at all from an unknown place."""

import dataclasses

import pytest
from canopen_bench import SCALES, SETTINGS, bench, six
from hypothesis import given
from hypothesis import strategies as st
from modbus_bench import BenchBank, RackThread, quick_rack, scales

from drives.axes.known_place import KnownPlace
from drives.axes.scaling import LegScale
from drives.bank import DriveGoal, DrivePlaceError, DriveState, LegCommand
from drives.can.frames import Frame
from sim.devices.drive.parameters import default_nodes
from sim.devices.faults import Injection

ABSOLUTE = dataclasses.replace(SETTINGS, absolute=True)
ENABLED, DISABLED = six(DriveState.ENABLED), six(DriveState.DISABLED)
ZERO_M = (0.011, -0.2, 0.35, 0.02, 0.6, 0.1)
"""Extension at which each encoder tells 0 [m]."""
NODES = tuple(
    dataclasses.replace(node, absolute_zero_m=zero_m)
    for node, zero_m in zip(default_nodes(), ZERO_M, strict=True)
)
OFFSET_SCALES = tuple(
    LegScale(1e6, 1, scale.reference_length_m - 0.03 + zero_m)
    for scale, zero_m in zip(SCALES, ZERO_M, strict=True)
)
"""Length at count 0, with 0.03 m of extension at the reference length."""
WHO = tuple(f"vendor 0, product 1026, serial {1001 + leg}" for leg in range(6))


def place_of(rods, **changes):
    """The recorded place of rods that stand where they are."""
    closed_m = [scale.reference_length_m - 0.03 for scale in SCALES]
    lengths_m = tuple(c + rod.x_m for c, rod in zip(closed_m, rods, strict=True))
    values = {"length_m": lengths_m, "tolerance_m": 0.001, "where": "where the last run left it"}
    return KnownPlace(**values | {"identities": identities()} | changes)


def identities():
    return bench().bank.configure().identities


def absolute(moved=(), nodes=NODES, **changes):
    """A bench whose rods `moved` (leg, distance) since they were recorded."""
    rig = bench(ABSOLUTE, scales=OFFSET_SCALES, nodes=nodes)
    rods = rig.rack.rods
    place = place_of(rods, **changes)
    for leg, by_m in moved:
        rods[leg - 1].x_m += by_m
    for node in rig.rack.nodes:
        node.drive.power_up()
    rig.bank.bank._place = place
    return rig


def nothing_moved(rig):
    assert not any(node.drive.motor.powered for node in rig.rack.nodes)
    assert not any(can_id == 0x080 for can_id in (f.can_id for _, f in rig.buses[0].sent))


def test_drives_that_stand_where_they_were_left_need_no_homing():
    rig = absolute()
    before = [rod.x_m for rod in rig.rack.rods]
    report = rig.bank.configure()
    assert len(report.counts) == 6
    rig.bank.request(DriveGoal.HOMED)
    for _ in range(300):
        feedback = rig.bank.exchange(None)
    assert feedback.homed == six(True)
    assert feedback.state == DISABLED
    assert [rod.x_m for rod in rig.rack.rods] == before, "nothing moves to find a place"
    closed_m = [scale.reference_length_m - 0.03 for scale in SCALES]
    truth = [c + x for c, x in zip(closed_m, before, strict=True)]
    assert feedback.length_m == pytest.approx(truth, abs=2e-6)
    rig.bank.request(DriveGoal.ENABLED)
    for _ in range(300):
        feedback = rig.bank.exchange(None)
    assert feedback.state == ENABLED
    goal = LegCommand(tuple(x + 0.002 for x in feedback.length_m), six(0.0))
    for _ in range(200):
        feedback = rig.bank.exchange(goal)
    assert feedback.length_m == pytest.approx(goal.length_m, abs=1e-4)


@pytest.mark.parametrize(
    ("settings", "due"),
    [({}, False), ({"first_motion": "always"}, True)],
)
def test_the_first_motion_is_left_to_whoever_sends_setpoints(settings, due):
    rig = bench(dataclasses.replace(ABSOLUTE, **settings), scales=OFFSET_SCALES, nodes=NODES)
    assert rig.bank.configure().first_motion is due, "the emulated drives say what they are"
    homing = bench(dataclasses.replace(SETTINGS, first_motion="always"))
    assert not homing.bank.configure().first_motion


def test_homing_is_neither_asked_for_nor_told():
    rig = absolute()
    rig.buses[0].keep_sent = True
    rig.bank.configure()
    written = {
        frame.data[1:3] for _, frame in rig.buses[0].sent if frame.data[:1] in b"\x23\x2b\x2f"
    }
    assert written
    for index in (0x607C, 0x6098, 0x6099, 0x609A):
        assert index.to_bytes(2, "little") not in written


@pytest.mark.parametrize(("leg", "by_m"), [(2, 0.3), (5, -0.005), (1, 0.0012)])
def test_a_rod_that_was_moved_without_power_is_refused_by_name(leg, by_m):
    rig = absolute([(leg, by_m)])
    rig.buses[0].keep_sent = True
    with pytest.raises(DrivePlaceError) as refused:
        rig.bank.configure()
    text = str(refused.value)
    assert f"leg {leg} stands {by_m * 1e3:+.1f} mm from where the last run left it" in text
    assert "at most 1 mm" in text
    assert "hil drives reference" in text
    assert text.count("stands") == 1
    nothing_moved(rig)


def test_drives_that_were_exchanged_between_legs_are_refused_by_name():
    swapped = list(NODES)
    swapped[1] = dataclasses.replace(NODES[1], serial=NODES[4].serial)
    swapped[4] = dataclasses.replace(NODES[4], serial=NODES[1].serial)
    rig = absolute(nodes=tuple(swapped))
    rig.buses[0].keep_sent = True
    with pytest.raises(DrivePlaceError) as refused:
        rig.bank.configure()
    assert "leg 2 has another drive" in str(refused.value)
    assert "serial 1005" in str(refused.value)
    assert "that of leg 5" in str(refused.value)
    nothing_moved(rig)


def test_an_encoder_that_tells_a_fault_proves_nothing():
    rig = absolute()
    rig.rack.advance(rig.time.now)
    rig.rack.faults.start(Injection("emcy", node=3, value=0x7320), rig.time.now)
    with pytest.raises(DrivePlaceError, match=r"leg 3: its encoder tells a fault \(603Fh is 7320h"):
        rig.bank.configure()


def left_after(rig, before_close=lambda rig: None):
    rig.bank.configure()
    rig.bank.exchange(None)
    before_close(rig)
    return rig.bank.close().left_m


def test_where_the_legs_were_left_is_asked_of_drives_that_send_no_pdo_any_more():
    def lose_the_bench(rig):
        for node in rig.rack.nodes:
            rig.buses[0].send_frames([Frame(0, bytes((0x80, node.node_id)))])
        for _ in range(20):
            feedback = rig.bank.exchange(None)
        assert not any(feedback.fresh)

    rig = absolute()
    closed_m = [scale.reference_length_m - 0.03 for scale in SCALES]
    truth_m = [c + rod.x_m for c, rod in zip(closed_m, rig.rack.rods, strict=True)]
    assert left_after(rig, lose_the_bench) == pytest.approx(truth_m, abs=2e-6)


def test_a_leg_that_sinks_is_left_nowhere(monkeypatch):
    rig = absolute()
    places = iter([((0,) * 6, ()), ((0, 0, 11, 0, 0, 0), ())])
    monkeypatch.setattr("drives.canopen.bank.read_places", lambda nodes: next(places))
    rig.bank.bank._configured = True
    assert rig.bank.bank._standstill_m() == ()
    places = iter([((0,) * 6, ()), ((0, 0, 9, 0, 0, 0), ())])
    assert len(rig.bank.bank._standstill_m()) == 6


def test_without_a_recorded_place_no_drive_is_ever_enabled():
    rig = absolute()
    rig.bank.bank._place = None
    assert len(rig.bank.configure().counts) == 6
    for goal in (DriveGoal.ENABLED, DriveGoal.HOMED, DriveGoal.ENABLED):
        rig.bank.request(goal)
        for _ in range(400):
            feedback = rig.bank.exchange(None)
            assert DriveState.ENABLED not in feedback.state
    assert feedback.homed == six(False)
    assert max(abs(rod.v_m_s) for rod in rig.rack.rods) == 0.0


@pytest.mark.real_time
@pytest.mark.parametrize("moved", [None, 4])
def test_modbus_drives_are_compared_as_well(moved):
    nodes = tuple(
        dataclasses.replace(node, absolute_zero_m=0.01) for node in quick_rack().rack.nodes
    )
    settings = quick_rack(rack=dataclasses.replace(quick_rack().rack, nodes=nodes))
    rack = RackThread("tcp", settings)
    offsets = tuple(LegScale(1e6, 1, s.reference_length_m - 0.03 + 0.01) for s in scales())
    lengths_m = tuple(
        s.reference_length_m - 0.03 + rod.x_m
        for s, rod in zip(scales(), rack.core.rods, strict=True)
    )
    names = BenchBank(rack, 0.01, absolute=True)
    try:
        who = names.configure().identities
    finally:
        names.close()
    rack = RackThread("tcp", settings)
    place = KnownPlace(lengths_m, 0.001, "where the last run left it", who)
    bank = BenchBank(rack, 0.01, scales_=offsets, absolute=True, place=place)
    if moved:
        rack.core.rods[moved - 1].x_m += 0.3
        rack.core.drives[moved - 1].power_up()
    try:
        if moved:
            with pytest.raises(DrivePlaceError, match=r"leg 4 stands \+300.0 mm"):
                bank.configure()
            return
        bank.configure()
        bank.request(DriveGoal.ENABLED)
        for _ in range(300):
            feedback = bank.exchange(None)
        assert feedback.state == ENABLED
        assert feedback.length_m == pytest.approx(lengths_m, abs=1e-4)
    finally:
        bank.close()


@given(
    st.lists(st.one_of(st.floats(-1.0, 1.0), st.just(float("nan"))), min_size=6, max_size=6),
    st.floats(1e-4, 0.01),
)
def test_no_leg_outside_of_the_tolerance_passes(off_m, tolerance_m):
    place = KnownPlace(tuple(0.7 + x for x in off_m), tolerance_m, "there", WHO)
    scale = LegScale(1e9, 1, 0.7)
    outside = [leg for leg, x in enumerate(off_m, 1) if not abs(x) <= tolerance_m]
    near = any(abs(abs(x) - tolerance_m) < 1e-8 for x in off_m)
    refusal = ""
    try:
        place.check((0,) * 6, (0,) * 6, WHO, (scale,) * 6)
    except DrivePlaceError as error:
        refusal = str(error)
    named = [leg for leg in range(1, 7) if f"leg {leg} stands" in refusal]
    assert near or named == outside


def test_a_place_comes_back_from_json_as_it_was():
    place = KnownPlace(six(0.7), 0.001, "there", WHO)
    assert KnownPlace.from_json(place.to_json()) == place
