"""Vehicles as FMUs, made where a test needs them: in C for FMI 2 and 3, and by two other tools."""

import contextlib
import io
import shutil
import subprocess
import tempfile
import warnings
import zipfile
from functools import cache
from pathlib import Path

import fmpy
import pytest

from hil.fmu.stubs import missing_functions

HERE = Path(__file__).parent
HEADERS = Path(fmpy.__file__).parent / "c-code"
OUTPUTS = ("f_x", "f_y", "f_z", "p", "q", "r")
UNITS = ("m/s2", "m/s2", "m/s2", "rad/s", "rad/s", "rad/s")
FAULTS = {
    "crash": 1, "hang": 2, "nan": 3, "discard": 4, "early": 5, "end": 6, "error": 7, "exit": 8,
}  # fmt: skip


def needs_gcc():
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not there: a vehicle in C cannot be compiled")


def c_vehicle(
    folder,
    fmi,
    *,
    name="vehicle",
    interface="CoSimulation",
    attributes="",
    binary=True,
    units=UNITS,
):
    """A vehicle of closed form, compiled from vehicle.c; `attributes` go to its interface.

    Of `units` those that are not there are not defined in its description.
    """
    needs_gcc()
    where = {2: "binaries/linux64", 3: "binaries/x86_64-linux"}[fmi]
    path = Path(folder) / f"{name}{fmi}.fmu"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("modelDescription.xml", _description(fmi, interface, attributes, units))
        if binary:
            archive.writestr(f"{where}/vehicle.so", _library(fmi))
        else:
            archive.writestr("binaries/win64/vehicle.dll", b"MZ")
    return path


@cache
def _library(fmi):
    """Its bytes: it is compiled once."""
    source = (HERE / "vehicle.c").read_text()
    part = source.split("#if FMI == 2\nconst", 1)[1].split("\n#else\n")[0 if fmi == 2 else 1]
    defined = ("const" if fmi == 2 else "") + part
    flags = ["-shared", "-fPIC", "-O1", "-Wall", f"-DFMI={fmi}", f"-I{HEADERS}"]
    with tempfile.TemporaryDirectory() as folder:
        rest, library = Path(folder, "vehicle.c"), Path(folder, "vehicle.so")
        rest.write_text(source + missing_functions(HEADERS / f"fmi{fmi}FunctionTypes.h", defined))
        subprocess.run(["gcc", *flags, "-o", library, rest, "-lm"], check=True)
        return library.read_bytes()


def _description(fmi, interface, attributes, defined):
    real = "Real" if fmi == 2 else "Float64"
    rows = [(0, "time", "independent", "continuous", "s", "")] if fmi == 3 else []
    pairs = zip(OUTPUTS, UNITS, strict=True)
    rows += [(1 + k, n, "output", "continuous", u, "") for k, (n, u) in enumerate(pairs)]
    rows += [
        (7, "steer", "input", "continuous", "rad", "0"),
        (8, "echo", "output", "continuous", "rad", ""),
        (9, "fault", "parameter", "fixed", "", "0"),
        (10, "at_s", "parameter", "fixed", "s", "0"),
    ]
    if fmi == 2:
        body = "".join(
            f'<ScalarVariable name="{n}" valueReference="{r}" causality="{c}" variability="{v}">'
            f"<{real}{_is('unit', u)}{_is('start', s)}/></ScalarVariable>"
            for r, n, c, v, u, s in rows
        )
        body += (
            '<ScalarVariable name="steps" valueReference="11" causality="output" '
            'variability="discrete"><Integer/></ScalarVariable>'
        )
        at = [*range(1, 7), 8, 11]
        unknowns = "".join(f'<Unknown index="{k}"/>' for k in at)
        structure = f"<Outputs>{unknowns}</Outputs><InitialUnknowns>{unknowns}</InitialUnknowns>"
        head = 'fmiVersion="2.0" guid="{vehicle}"'
    else:
        body = "".join(
            f'<{real} name="{n}" valueReference="{r}" causality="{c}" variability="{v}"'
            f"{_is('unit', u)}{_is('start', s)}/>"
            for r, n, c, v, u, s in rows
        )
        body += (
            '<Int32 name="steps" valueReference="11" causality="output" variability="discrete"/>'
        )
        structure = "".join(
            f'<{kind} valueReference="{k}"/>'
            for kind in ("Output", "InitialUnknown")
            for k in (*range(1, 7), 8, 11, 12)
        )
        body += (
            f'<{real} name="force" valueReference="12" causality="output" variability="continuous" '
            'unit="m/s2"><Dimension start="3"/></Float64>'
        )
        head = 'fmiVersion="3.0" instantiationToken="{vehicle}"'
    units = "".join(f'<Unit name="{u}"/>' for u in {*defined, "rad", "s"})
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><fmiModelDescription {head} modelName="vehicle">'
        f'<{interface} modelIdentifier="vehicle" {attributes}/>'
        f"<UnitDefinitions>{units}</UnitDefinitions>"
        f'<DefaultExperiment startTime="0" stopTime="8" stepSize="0.004"/>'
        f"<ModelVariables>{body}</ModelVariables>"
        f"<ModelStructure>{structure}</ModelStructure></fmiModelDescription>"
    )


def _is(name, value):
    return f' {name}="{value}"' if value else ""


PYTHON_2 = """
import math
from pythonfmu import Fmi2Causality, Fmi2Slave, Fmi2Variability, Real


class Car2(Fmi2Slave):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.f_x = 0.0
        self.r = 0.0
        self.f_z = -9.80665
        self.gain = 1.0
        self.nan_from_s = 1e9
        for name in ("f_x", "f_z", "r"):
            self.register_variable(Real(name, causality=Fmi2Causality.output))
        for name in ("gain", "nan_from_s"):
            self.register_variable(Real(name, causality=Fmi2Causality.parameter,
                                        variability=Fmi2Variability.tunable))

    def do_step(self, current_time, step_size):
        t = current_time + step_size
        self.f_x = self.gain * math.sin(math.pi * t)
        self.r = 0.1 * math.sin(0.5 * math.pi * t)
        if t >= self.nan_from_s:
            self.f_x = math.nan
        return True
"""
PYTHON_3 = """
import math
from pythonfmu3 import Fmi3Causality, Fmi3Slave, Fmi3Variability, Float64


class Car3(Fmi3Slave):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.time = 0.0
        self.f_x = 0.0
        self.r = 0.0
        self.f_z = -9.80665
        self.register_variable(Float64("time", causality=Fmi3Causality.independent,
                                       variability=Fmi3Variability.continuous))
        for name in ("f_x", "f_z", "r"):
            self.register_variable(Float64(name, causality=Fmi3Causality.output,
                                           variability=Fmi3Variability.continuous))

    def do_step(self, current_time, step_size):
        t = current_time + step_size
        self.f_x = math.sin(math.pi * t)
        self.r = 0.1 * math.sin(0.5 * math.pi * t)
        return True
"""


def python_vehicle(folder, fmi):
    """A car by pythonfmu (FMI 2) or pythonfmu3 (FMI 3)."""
    script = Path(folder) / f"car{fmi}.py"
    script.write_text(PYTHON_2 if fmi == 2 else PYTHON_3)
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the tools themselves
        if fmi == 2:
            from pythonfmu.builder import FmuBuilder
        else:
            from pythonfmu3.builder import FmuBuilder
        return Path(FmuBuilder.build_FMU(str(script), dest=str(folder)))
