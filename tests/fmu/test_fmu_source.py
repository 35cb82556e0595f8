"""An FMU drives the bench: its motion is ridden, its faults fade, its code needs trust."""

import hashlib
import math
from itertools import cycle
from pathlib import Path

import numpy as np
import pytest
from fmu_vehicles import FAULTS, c_vehicle, python_vehicle

from hil.config.errors import ConfigError, RefusedError
from hil.config.file_search import configs_dir
from hil.config.inputs import InputFile, collected
from hil.fmu.description import read_description
from hil.hosts.watch.states import Cause, HostState
from hil.recording.reader import Recording
from hil.stations.platform.bench.bench import run
from hil.stations.simulator.plan.scenario import load_ride, ride_from_table
from hil.stations.simulator.plan.source import Feedback, Surroundings
from hil.stations.simulator.run.bench import ride_of
from hil.stations.simulator.run.rehearsal import rehearse
from hil.stations.simulator.sources.fmu import KIND, FmuSettings
from hil.stations.simulator.sources.fmu_vehicle import _between, state_of
from platform6dof.cueing.vehicle import VehicleFlags

EXAMPLES = Path(__file__).parents[2] / "examples"
PERIOD_S = 0.002
W = 2.0 * math.pi * 0.25
C_OUTPUTS = {name: name for name in ("f_x", "f_y", "f_z", "p", "q", "r")}
CAR_OUTPUTS = {name: name for name in ("f_x", "f_z", "r")}


def vehicle(folder, fmi, **more):
    """A vehicle in C that takes any step."""
    free = 'canHandleVariableCommunicationStepSize="true"' if fmi == 2 else ""
    return c_vehicle(folder, fmi, **{"attributes": free} | more)  # pyright: ignore[reportArgumentType]


def around(tmp_path, **more):
    given = {"trusted": True, "virtual": True, "period_s": PERIOD_S, "seed": 0} | more
    return Surroundings(scenario_file=tmp_path / "ride.toml", now_s=lambda: 0.0, **given)


def settings(path, outputs=C_OUTPUTS, **more):
    table = {"kind": "fmu", "file": str(path), "outputs": outputs} | more
    return FmuSettings.build(table, "ride.toml")


def polled(source, cycles, begin=0, late_s=0.0):
    heard = []
    for k in range(cycles):
        if k == begin:
            source.begin(k * PERIOD_S)
        heard.append(source.poll(k * PERIOD_S + late_s))
    return heard


@pytest.mark.parametrize("fmi", [2, 3])
def test_each_cycle_is_a_step_of_the_model_from_when_it_begins(tmp_path, fmi):
    with KIND.open(settings(vehicle(tmp_path, fmi)), around(tmp_path)) as source:
        heard = polled(source, 120, begin=20)
    for k, one in enumerate(heard):
        t = max(0, k - 20) * PERIOD_S
        assert one.host is HostState.LIVE
        assert one.weight == 1.0
        assert one.state.f_m_s2[0] == pytest.approx(1.5 * math.sin(W * t), abs=1e-12)
        assert one.state.omega_rad_s[2] == pytest.approx(0.1 * math.sin(W * t), abs=1e-12)
    assert heard[-1].host_s == pytest.approx(99 * PERIOD_S)
    assert heard[-1].packets == 100
    assert math.isinf(source.ended_s)


def test_units_signs_and_bias_reach_the_state(tmp_path):
    outputs = C_OUTPUTS | {
        "f_x": {"variable": "f_x", "unit": "g", "sign": -1, "bias": 0.25},
        "r": {"variable": "r", "unit": "deg/s"},
    }
    with KIND.open(settings(vehicle(tmp_path, 3), outputs), around(tmp_path)) as source:
        heard = polled(source, 200)
    t = 199 * PERIOD_S
    wanted = -9.80665 * (1.5 * math.sin(W * t) - 0.25)
    assert heard[-1].state.f_m_s2[0] == pytest.approx(wanted, abs=1e-11)
    wanted = math.radians(0.1 * math.sin(W * t))
    assert heard[-1].state.omega_rad_s[2] == pytest.approx(wanted, abs=1e-13)


@pytest.mark.parametrize(("fault", "fmi"), [*zip(FAULTS, cycle((2, 3)), strict=False)])
def test_a_fault_fades_and_then_the_source_is_lost(tmp_path, fmi, fault):
    """What a process of either FMI answers to each is judged by test_fmu_process.py."""
    table = {"start": {"fault": float(FAULTS[fault]), "at_s": 0.1}}
    virtual = fault != "hang"  # a hang is given up on the clock of the run
    path = vehicle(tmp_path, fmi)
    with KIND.open(settings(path, **table), around(tmp_path, virtual=virtual)) as source:
        if virtual:
            heard = polled(source, 1300)
        else:
            source.begin(0.0)
            heard = [source.poll(0.0)]
            while heard[-1].packets < 50:
                heard.append(source.poll(0.0))
            heard = [source.poll(k * PERIOD_S) for k in range(1300)]
    failed = next(k for k, one in enumerate(heard) if one.host is not HostState.LIVE)
    assert failed == (50 if virtual else 26)  # after its deadline of 0.05 s
    wanted = Cause.END if fault == "end" else Cause.MODEL_FAILED
    assert {one.cause for one in heard[failed:]} == {wanted}
    weights = [one.weight for one in heard]
    assert weights[failed - 1] == 1.0
    falls = -np.diff(weights[failed:])
    assert (falls >= 0.0).all()
    assert falls.max() < 0.02
    assert weights[-1] == 0.0, "it has faded"
    at = [heard[failed + k].host for k in (0, 149, 150, 999, 1000)]
    states = HostState.FADING_OUT, HostState.FADING_OUT, HostState.AWAY, HostState.AWAY
    assert at == [*states, HostState.LOST]
    assert all(map(math.isfinite, heard[-1].state.f_m_s2))  # pyright: ignore[reportOptionalMemberAccess]
    assert math.isfinite(source.ended_s) == (fault == "end")
    assert source.why  # pyright: ignore[reportAttributeAccessIssue]


def test_values_beyond_any_vehicle_are_a_failure(tmp_path):
    outputs = C_OUTPUTS | {"f_x": {"variable": "f_x", "unit": "g", "bias": 1e6}}
    with KIND.open(settings(vehicle(tmp_path, 2), outputs), around(tmp_path)) as source:
        assert polled(source, 3)[-1].host is HostState.WAITING
        assert "no vehicle has more than 2000 m/s2" in source.why  # pyright: ignore[reportAttributeAccessIssue]


def test_measured_pose_and_inputs_go_back_in(tmp_path):
    told = []

    def feedback():
        return told[-1] if told else None

    outputs = C_OUTPUTS | {"roll": "echo", "pitch": "echo"}
    taken = {"inputs": {"operator_steering": {"variable": "steer", "unit": "1"}}}
    path = vehicle(tmp_path, 3)
    with KIND.open(settings(path, outputs, **taken), around(tmp_path, feedback=feedback)) as source:
        polled(source, 3)
        told.append(Feedback((0.0,) * 6, {"steering": 0.25, "other": 9.0}))
        source.poll(3 * PERIOD_S)
        heard = source.poll(4 * PERIOD_S)
    roll = math.atan2(2.0 * (heard.state.attitude[0] * heard.state.attitude[1]), 1.0)  # pyright: ignore[reportOptionalMemberAccess]
    assert roll != 0.0
    pose = {"inputs": {"pose_gamma": "steer"}}
    with KIND.open(settings(path, outputs, **pose), around(tmp_path, feedback=feedback)) as source:
        told.append(Feedback((0.0, 0.0, 0.0, 0.0, 0.0, 0.3)))
        heard = polled(source, 3)
    expected = state_of({"roll": 0.6, "pitch": 0.6, "f_z": 0.0}, 0.0).attitude
    assert heard[-1].state.attitude == pytest.approx(expected, abs=1e-15)
    assert heard[0].state.attitude == (1.0, 0.0, 0.0, 0.0)


def test_acceleration_becomes_force_by_attitude():
    state = state_of({"a_x": 1.0, "roll": 0.0, "pitch": 0.5, "ground": 1.0}, 0.0)
    assert state.f_m_s2[0] == pytest.approx(1.0 + 9.80665 * math.sin(0.5))
    assert state.f_m_s2[2] == pytest.approx(-9.80665 * math.cos(0.5))
    assert state.flags == VehicleFlags.GROUND


def test_a_force_that_is_told_stays_beside_an_acceleration():
    state = state_of({"f_x": 3.0, "a_y": 2.0, "roll": 0.4, "pitch": 0.0}, 0.0)
    weight = -9.80665 * math.sin(0.4), -9.80665 * math.cos(0.4)
    assert state.f_m_s2 == pytest.approx((3.0, 2.0 + weight[0], weight[1]))


def test_code_is_loaded_with_trust_only(tmp_path):
    path = vehicle(tmp_path, 2)
    sha256 = read_description(path).sha256
    for named in ("", sha256):  # a document says of no code that it is to be trusted
        with pytest.raises(RefusedError, match=rf"add --trust; sha256 = \"{sha256}\""):
            KIND.open(settings(path, sha256=named), around(tmp_path, trusted=False)).__enter__()
    with KIND.open(settings(path, sha256=sha256), around(tmp_path)) as source:
        assert polled(source, 2)[-1].host is HostState.LIVE
    with pytest.raises(ConfigError, match="is not that of"):
        KIND.open(settings(path, sha256="0" * 64), around(tmp_path)).__enter__()
    with pytest.raises(ConfigError, match="unknown key"):
        settings(path, trust=True)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"step_s": 0.0015}, r"a step of 0.0015 s does not divide 0.002 s.* or a step of 0.001 s"),
        ({"outputs": {"r": "r"}}, "gives no force"),
        ({"outputs": C_OUTPUTS | {"roll": "p"}}, "has roll: an attitude needs roll and pitch"),
        ({"outputs": C_OUTPUTS | {"yaw": "p"}}, "has yaw: an attitude needs roll and pitch"),
        ({"outputs": C_OUTPUTS | {"f_x": "f_xx"}}, r"'f_xx': no such variable; near ones: "),
        ({"start": {"mass": 1.0}}, r"source.start = 'mass': no such variable"),
        ({"inputs": {"pose_w": "steer"}}, r"source.inputs.pose_w: unknown \(did you mean pose_"),
    ],
)
def test_bad_settings_are_refused_before_anything_is_loaded(tmp_path, change, says):
    path = vehicle(tmp_path, 3)
    with pytest.raises(ConfigError, match=says):
        KIND.open(settings(path, **change), around(tmp_path, trusted=False)).__enter__()


def test_a_fixed_step_must_divide_the_period(tmp_path):
    fixed = vehicle(tmp_path, 3, attributes='fixedInternalStepSize="0.0015"')
    with pytest.raises(ConfigError, match=r"the fixed step of vehicle3\.fmu, 0.0015 s, does not"):
        KIND.open(settings(fixed), around(tmp_path)).__enter__()


@pytest.mark.parametrize("between", ["hold", "line"])
def test_a_model_whose_step_is_longer_than_a_cycle_is_held_or_goes_straight(tmp_path, between):
    """Step 20 ms, cycle 2 ms: held as at the last step; or a straight line, a step later."""
    fixed = vehicle(tmp_path, 3, attributes='fixedInternalStepSize="0.02"')
    with pytest.raises(ConfigError, match=r'between = "hold"'):
        KIND.open(settings(fixed), around(tmp_path)).__enter__()
    outputs = C_OUTPUTS | {"f_y": "force[2]"}
    with KIND.open(settings(fixed, outputs, between=between), around(tmp_path)) as source:
        heard = polled(source, 200, begin=5)
    h = 0.02
    for k, one in enumerate(heard[5:]):
        done, at = divmod(k, 10)
        if between == "hold":
            wanted = [done * h] * 2 + [0.0]
        else:
            wanted = [max(0.0, (done - 1) * h), done * h, at / 10.0]
        for axis, law in enumerate((lambda t: 1.5 * math.sin(W * t),
                                    lambda t: 0.8 * (1.0 - math.cos(W * t)))):  # fmt: skip
            before, newest = law(wanted[0]), law(wanted[1])
            told = before + (newest - before) * wanted[2]
            assert one.state.f_m_s2[axis] == pytest.approx(told, abs=1e-12)
        assert one.missing == 0
        assert one.host is HostState.LIVE


def test_an_angle_goes_the_shorter_way_round():
    assert _between("yaw", math.radians(179.0), math.radians(-179.0), 0.5) == pytest.approx(math.pi)
    assert _between("f_x", 3.0, -3.0, 0.5) == 0.0


# -- on the bench ------------------------------------------------------------------------------


def ridden(tmp_path, path, outputs, start=None, duration_s=3.0):
    table = {
        "name": "fmu_ride", "station": "simulator", "rig": "training_simulator", "rate_hz": 500.0,
        "duration_s": duration_s,
        "source": {"kind": "fmu", "file": str(path), "outputs": outputs, "start": start or {}},
        "cueing": {"preset": "tight"},
    }  # fmt: skip
    with collected():
        plan = ride_from_table(table, Path(tmp_path) / "ride.toml")
        plan = plan.model_copy(update={"trusted": True})
        prepared = ride_of(plan).prepared
        result = run(plan, tmp_path, motion=prepared.motion, extension=prepared.extension)
    return result, Recording.open(result.recorder.path)


def states(recording):
    names = recording.header.signals["host"].codes
    return list(dict.fromkeys(np.array(names)[recording.column("host").astype(int)].tolist()))


@pytest.mark.parametrize(("make", "fmi"), [("c", 2), ("python", 3)])
def test_vehicles_drive_the_bench(tmp_path, fmi, make):
    path = (vehicle if make == "c" else python_vehicle)(tmp_path, fmi)
    outputs = C_OUTPUTS if make == "c" else CAR_OUTPUTS
    result, recording = ridden(tmp_path, path, outputs)
    if make == "c":
        again, _ = ridden(tmp_path, path, outputs)
        assert again.recorder.sha256 == result.recorder.sha256, "two rides are bit-identical"
    assert result.outcome.value == "completed"
    assert not result.violations
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    (listed,) = (one for one in recording.files if one.kind == "fmu")  # with all that is in it
    assert listed == InputFile(str(path), "fmu", path.stat().st_size, digest)
    assert states(recording) == ["WAITING", "LIVE"]  # until its force is known
    following = recording.column("weight") == 1.0
    assert following.sum() > 500
    wanted = recording.column("wanted_force_m_s2")[following][:, 0]
    t = recording.column("host_stamp_s")[following]
    f_x = 1.5 * np.sin(W * t) if make == "c" else np.sin(np.pi * t)
    np.testing.assert_allclose(wanted, f_x, atol=1e-12)
    moved = recording.column("measured_length_m")[following]
    assert np.ptp(moved, axis=0).max() > 0.005


@pytest.mark.parametrize("fault", ["crash", "nan"])
def test_a_failing_vehicle_fades_and_the_platform_parks(tmp_path, fault):
    start = {"fault": float(FAULTS[fault]), "at_s": 1.5}
    result, recording = ridden(tmp_path, vehicle(tmp_path, 3), C_OUTPUTS, start, 20.0)
    assert states(recording) == ["WAITING", "LIVE", "FADING_OUT", "AWAY", "LOST"]
    assert result.reason.startswith("the live source was lost: the model failed")
    assert not result.violations  # the gate had nothing to object to
    said = [event.message for event in result.events]
    assert any("fading out: the model failed (" in one for one in said)
    assert result.mode.name in ("STANDBY", "OFF", "IDLE")


# -- as it is shipped --------------------------------------------------------------------------


def test_the_shipped_scenario_rides_the_example(tmp_path, monkeypatch):
    from pythonfmu.builder import FmuBuilder

    FmuBuilder.build_FMU(str(EXAMPLES / "fmu_car.py"), dest=str(tmp_path))
    monkeypatch.chdir(tmp_path)
    plan = load_ride(configs_dir() / "scenarios" / "fmu_vehicle.toml", ["duration_s=4.0"])
    assert type(plan).build(plan.model_dump(mode="json"), "header") == plan
    with pytest.raises(RefusedError, match="--trust"):
        rehearse(plan)
    ridden_alone = rehearse(plan.model_copy(update={"trusted": True}))
    assert not ridden_alone.lost
    assert np.ptp(ridden_alone.wanted[:, 0]) > 1.0


def test_an_operators_inputs_reach_the_model(tmp_path):
    inputs = {"operator_steering": "steer"}  # in the unit that the model has
    path = vehicle(tmp_path, 3)
    told = {}
    near = around(tmp_path, feedback=lambda: Feedback((0.0,) * 6, told))
    with KIND.open(
        settings(path, C_OUTPUTS | {"p": {"variable": "echo", "unit": "rad/s"}}, inputs=inputs),
        near,
    ) as source:
        source.begin(0.0)
        assert [source.poll(k * PERIOD_S).state.omega_rad_s[0] for k in range(3)] == [0.0] * 3  # pyright: ignore[reportOptionalMemberAccess]
        told["steering"] = 0.2  # of the step after the next one, which is under way already
        rates = [source.poll(k * PERIOD_S).state.omega_rad_s[0] for k in range(3, 6)]  # pyright: ignore[reportOptionalMemberAccess]
    assert rates == [0.0, 0.4, 0.4]
