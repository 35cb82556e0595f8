"""What an FMU says of itself is read without running it; what cannot run is refused by name."""

import zipfile

import fmpy
import pytest
from fmu_vehicles import c_vehicle, python_vehicle

from hil.config.errors import ConfigError, RefusedError
from hil.fmu import extra
from hil.fmu.description import read_description, require_runnable, whole_steps


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


@pytest.mark.parametrize(
    ("period_s", "step_s", "count"), [(0.002, 0.002, 1), (0.3, 0.1, 3), (0.01, 0.0001, 100)]
)
def test_whole_steps(period_s, step_s, count):
    assert whole_steps(period_s, step_s, "step_s", "here") == count


@pytest.mark.parametrize("step_s", [0.003, 0.0015, 0.004, 0.002 * (1 + 1e-6), 0.0, -0.002])
def test_a_step_that_does_not_divide_the_period_is_refused(step_s):
    with pytest.raises(ConfigError, match=r"here: step_s .* does not divide 0.002 s"):
        whole_steps(0.002, step_s, "step_s", "here")


@pytest.mark.parametrize(
    "content", [b"", b"no archive", b"PK\x03\x04 cut"], ids=["empty", "text", "cut"]
)
def test_what_is_no_archive_is_refused(tmp_path, content):
    path = tmp_path / "x.fmu"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match="is no FMU"):
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
