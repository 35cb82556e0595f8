"""What an FMU says of itself is read without running it; what cannot run is refused by name."""

import re
import zipfile
from dataclasses import replace

import fmpy
import pytest
from fmu_vehicles import c_vehicle, python_vehicle

from hil.config.errors import ConfigError, RefusedError
from hil.fmu import extra
from hil.fmu.description import elements_of, read_description, require_runnable
from hil.fmu.pace import steps_of


@pytest.mark.parametrize("fmi", [2, 3])
def test_tells_what_another_reader_tells(tmp_path, fmi):
    path = c_vehicle(tmp_path, fmi)
    model, other = read_description(path), fmpy.read_model_description(str(path))
    assert (model.name, model.fmi) == (other.modelName, other.fmiVersion)
    assert model.interfaces == ("co-simulation",)
    told = [(one.name, one.reference, one.type, one.unit) for one in model.variables]
    assert told == [(v.name, v.valueReference, v.type, v.unit or "") for v in other.modelVariables]
    assert model.step_s == 0.004
    assert model.stop_s == 8.0
    require_runnable(model)


@pytest.mark.parametrize("fmi", [2, 3])
def test_fmus_of_two_other_tools_are_runnable(tmp_path, fmi):
    require_runnable(read_description(python_vehicle(tmp_path, fmi)))


def test_model_exchange_alone_is_refused(tmp_path):
    model = read_description(c_vehicle(tmp_path, 2, interface="ModelExchange"))
    with pytest.raises(ConfigError, match=r"has model exchange only.*co-simulation"):
        require_runnable(model)


@pytest.mark.parametrize("fmi", [2, 3])
def test_no_linux_binary_is_refused(tmp_path, fmi):
    model = read_description(c_vehicle(tmp_path, fmi, binary=False))
    with pytest.raises(ConfigError, match=r"no Linux binary .*but win64"):
        require_runnable(model)


def test_an_unknown_variable_names_its_neighbours(tmp_path):
    model = read_description(c_vehicle(tmp_path, 2))
    with pytest.raises(ConfigError, match=r"outputs.f_x = 'f_xx': no such variable; near .*f_x"):
        model.variable("f_xx", "outputs.f_x")


@pytest.mark.parametrize(
    ("fmi", "attributes", "fixed"),
    [
        (2, "", 0.004),
        (2, 'canHandleVariableCommunicationStepSize="true"', None),
        (3, "", None),
        (3, 'fixedInternalStepSize="0.001"', 0.001),
    ],
)
def test_fixed_steps_are_known(tmp_path, fmi, attributes, fixed):
    assert read_description(c_vehicle(tmp_path, fmi, attributes=attributes)).fixed_step_s == fixed


def stepped(model, period_s, step_s=None, *, between=True):
    found = steps_of(model, period_s, step_s, "here", between=between)
    return found.step_s, found.in_cycle, found.cycles


@pytest.mark.parametrize(
    ("period_s", "step_s", "steps"),
    [
        (0.002, None, (0.002, 1, 1)),
        (0.3, 0.1, (0.1, 3, 1)),
        (0.01, 0.0001, (0.0001, 100, 1)),
        (0.1, 0.3, (0.3, 1, 3)),
        (0.002, 0.02, (0.02, 1, 10)),
    ],
)
def test_whole_steps_in_cycles_and_whole_cycles_in_steps(tmp_path, period_s, step_s, steps):
    assert (
        stepped(read_description(c_vehicle(tmp_path, 3, binary=False)), period_s, step_s) == steps
    )


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("fixed_s", [0.0015, 0.0007, 0.0033, 0.02, 0.00201, 0.15, 0.0301])
def test_the_remedy_for_a_fixed_step_works(tmp_path, fmi, fixed_s):
    """Whatever the fixed step: what the refusal says is done, and it is refused no more."""
    attributes = f'fixedInternalStepSize="{fixed_s}"' if fmi == 3 else ""
    model = read_description(c_vehicle(tmp_path, fmi, attributes=attributes, binary=False))
    if fmi == 2:
        model = replace(model, fixed_step_s=fixed_s)
    period_s, between = 0.002, False
    for _ in range(3):
        try:
            step_s, in_cycle, cycles = stepped(model, period_s, between=between)
        except ConfigError as error:
            text = str(error)
            rate = re.search(r"rate of ([0-9.e+]+) Hz", text)
            if rate:
                period_s = 1.0 / float(rate[1])
                assert 10.0 <= float(rate[1]) <= 1000.0
            assert rate or 'between = "hold"' in text
            between = between or "between" in text
        else:
            assert in_cycle * step_s == pytest.approx(cycles * period_s, rel=1e-9)
            count = step_s / fixed_s
            assert count == pytest.approx(round(count), rel=1e-9) or fmi == 2
            return
    pytest.fail("the remedies do not come to an end")


@pytest.mark.parametrize("step_s", [0.003, 0.0015, 0.002 * (1 + 1e-6)])
def test_a_step_that_does_not_fit_is_refused(tmp_path, step_s):
    model = read_description(c_vehicle(tmp_path, 3, binary=False))
    with pytest.raises(ConfigError, match=r"here: a step of .* does not divide 0.002 s"):
        stepped(model, 0.002, step_s)


def test_a_longer_step_is_refused_until_it_is_said_what_is_done_between(tmp_path):
    model = read_description(c_vehicle(tmp_path, 3, binary=False))
    with pytest.raises(ConfigError, match=r'0.02 s takes 10 cycles .*between = "hold".*"line"'):
        stepped(model, 0.002, 0.02, between=False)


@pytest.mark.parametrize("fmi", [2, 3])
def test_a_unit_that_is_not_defined_is_a_loss(tmp_path, fmi):
    path = c_vehicle(tmp_path, fmi, units=("rad/s",), binary=False)
    model = read_description(path)
    assert model.losses
    assert all('unit "m/s2"' in one and "not defined" in one for one in model.losses)
    assert model.variable("f_x", "here").unit == "m/s2"
    assert read_description(c_vehicle(tmp_path, fmi, name="whole", binary=False)).losses == ()


def test_elements_of_arrays_are_variables(tmp_path):
    model = read_description(c_vehicle(tmp_path, 3, binary=False))
    assert model.variable("force[3]", "here").at == 2
    for name in ("force[0]", "force[4]", "force[1,1]"):
        with pytest.raises(
            ConfigError, match=r"no such element; force has force\[1\] to force\[3\]"
        ):
            model.variable(name, "here")
    with pytest.raises(ConfigError, match="only scalars can be set"):
        model.settable("force[1]", "start")
    cube = replace(model.variable("force", "here"), name="J", shape=(2, 3), size=6)
    model = replace(model, variables=(*model.variables, cube))
    assert [model.variable(one, "here").at for one in elements_of(cube)] == list(range(6))
    assert model.variable("J[2,1]", "here").at == 3


@pytest.mark.parametrize(
    "content", [b"", b"no archive", b"PK\x03\x04 cut"], ids=["empty", "text", "cut"]
)
def test_what_is_no_archive_is_refused(tmp_path, content):
    path = tmp_path / "x.fmu"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match="is no FMU"):
        read_description(path)


def test_what_is_encrypted_is_refused_by_its_name(tmp_path):
    path = c_vehicle(tmp_path, 3, binary=False)
    data = bytearray(path.read_bytes())
    for at in range(len(data)):
        if data[at : at + 4] == b"PK\x01\x02":
            data[at + 8] |= 1  # of the flags of every head in the central directory
    path.write_bytes(data)
    with pytest.raises(ConfigError, match=r"is no FMU: .+ is encrypted"):
        read_description(path)


def test_an_archive_without_description_is_refused(tmp_path):
    path = tmp_path / "x.fmu"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "nothing")
    with pytest.raises(ConfigError, match=r"holds no modelDescription\.xml"):
        read_description(path)


@pytest.mark.parametrize("text", ["<a>", "<fmiModelDescription fmiVersion='2.0'/>", "", "\x00"])
def test_a_description_that_is_not_valid_is_refused(tmp_path, text):
    path = tmp_path / "x.fmu"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("modelDescription.xml", text)
    with pytest.raises(ConfigError, match=r"modelDescription\.xml is not valid"):
        read_description(path)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="no such file"):
        read_description(tmp_path / "none.fmu")


def test_the_missing_library_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(extra, "find_spec", lambda name: None)
    with pytest.raises(RefusedError, match=r"pip install 'hil-bench\[fmu\]'"):
        read_description(c_vehicle(tmp_path, 2))
