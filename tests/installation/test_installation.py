"""Whose code runs is found out without loading it, and a gate that is not ours is refused."""

import json
import re
import shutil
import sys
import tomllib
from pathlib import Path

import pytest
from wheel_files import ROOT, put, record

from drives.bank import DriveSetupError
from hil.config.file_search import configs_dir
from hil.config.installation import (
    HOME,
    PACKAGES,
    InstallationError,
    check_files,
    check_packages,
    code_digest,
    code_of_process,
    foreign_code,
)
from hil.config.libraries import LIBRARIES, code_origin, library_origin, origins
from hil.machines.rig.machine import gate_limits, load_rig
from hil.stations.platform.gate.child import GateChild
from hil.stations.platform.gate.order import GateOrder
from hil.stations.platform.gate.spec import BankSpec
from hil.timing.realtime import RealClock

LIMITS = gate_limits(load_rig(configs_dir() / "rigs" / "paper.toml"), 0.01)


def without(monkeypatch, *names):
    """Packages as they would be looked for by a process that has loaded none of them."""
    for loaded in list(sys.modules):
        if loaded.partition(".")[0] in names:
            monkeypatch.delitem(sys.modules, loaded)


def test_this_checkout_is_one_installation():
    assert HOME == ROOT
    check_packages()
    check_files()


@pytest.mark.parametrize(
    ("name", "form"),
    [(name, form) for name in PACKAGES[1:] for form in ("package", "module")]
    + [("platform6dof", "namespace")],
)
def test_a_shadow_is_refused_by_name_and_not_loaded(name, form, tmp_path, monkeypatch):
    bad = "raise AssertionError('it was loaded')\n"
    if form == "module":
        (tmp_path / f"{name}.py").write_text(bad)
    else:
        (tmp_path / name).mkdir()
        (tmp_path / name / ("__init__.py" if form == "package" else "gate.py")).write_text(bad)
    without(monkeypatch, name)
    # A folder without a first file only counts where nothing else of that name is found.
    rest = [place for place in sys.path if form != "namespace" or not (Path(place) / name).exists()]
    monkeypatch.setattr(sys, "path", [str(tmp_path), *rest])
    with pytest.raises(InstallationError, match=re.escape(str(tmp_path / name))) as refused:
        check_packages()
    assert f"package {name!r}" in str(refused.value)
    assert "virtual environment of its own" in str(refused.value)


def test_a_package_that_is_missing_is_named(monkeypatch):
    without(monkeypatch, "drives")
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(InstallationError, match=r"package '\w+' is missing"):
        check_packages()


@pytest.fixture
def installed(tmp_path):
    """An installed copy of two packages, with its record."""
    files = {f"{name}/__init__.py": b"" for name in PACKAGES} | {"safety/gate.py": b"x = 1\n"}
    files["hil_bench-9.9.dist-info/RECORD"] = record(files)
    put(tmp_path, files)
    return tmp_path


def test_a_file_that_was_overwritten_is_named_with_who_did_it(installed):
    check_files(installed)
    (installed / "safety" / "gate.py").write_text("x = 2\n")
    put(installed, {"safety-3.7.0.dist-info/RECORD": b"safety/gate.py,,\n"})
    with pytest.raises(
        InstallationError, match=r"safety/gate\.py is not the file .*safety 3\.7\.0"
    ):
        check_files(installed)
    (installed / "safety" / "gate.py").unlink()
    with pytest.raises(InstallationError, match=r"safety/gate\.py"):
        check_files(installed)


def test_a_file_that_another_distribution_only_adds_is_no_harm(installed):
    put(installed, {"safety/cli.py": b"", "safety-3.7.0.dist-info/RECORD": b"safety/cli.py,,\n"})
    check_files(installed)


def test_the_code_of_a_process_is_what_it_has_loaded():
    files = code_of_process()
    assert {"hil/__init__.py", "hil/config/installation.py", "drives/bank.py"} <= set(files)
    assert foreign_code(str(HOME), files) == ""
    changed = files | {"drives/bank.py": "0" * 64}
    assert code_digest(changed) != code_digest(files)
    assert "drives/bank.py" in foreign_code(str(HOME), changed)


ELSEWHERE = {"/elsewhere/safety/gate.py": "0" * 64}


@pytest.mark.parametrize(
    ("told", "named"),
    [
        ({}, "does not tell whose code"),
        ({"home": str(HOME), "code": {}}, "does not tell whose code"),
        ({"home": 3, "code": ELSEWHERE}, "does not tell whose code"),
        ({"home": "/elsewhere", "code": ELSEWHERE}, "/elsewhere"),
        ({"home": str(HOME), "code": ELSEWHERE}, "/elsewhere/safety/gate.py"),
        ({"home": str(HOME), "code": {"safety/gate.py": "0" * 64}}, "safety/gate.py"),
        ({"home": str(HOME), "code": {"safety/none.py": ""}}, "safety/none.py"),
    ],
)
def test_a_gate_that_is_not_ours_is_refused_by_name(told, named):
    """The program that answers says that all is well, as one that took the gate's place would."""
    answer = {
        "ready": True, "name": "x", "url": "sim:", "simulated": True, "axes": [""] * 6,
        "identities": [], "limits_sha256": LIMITS.digest(), "setup": [],
    }  # fmt: skip
    code = f"import sys; sys.stdin.readline(); print({json.dumps(answer | told)!r})"
    order = GateOrder(BankSpec("sim:", "paper", 0.01, settings={}), LIMITS, 0, 1, 2, 2.0)
    child = GateChild(order, ("-c", code))
    try:
        with pytest.raises(DriveSetupError, match=re.escape(named)):
            child.start(RealClock().now_s)
        assert child.code_sha256 == ""
    finally:
        child.kill()


def test_a_build_that_is_not_of_its_sources_moves_nothing(tmp_path, monkeypatch):
    """The gate's process is given no order, so it opens no bus."""

    def refuse():
        raise InstallationError("safety/gate.py is not the file that the program was compiled with")

    monkeypatch.setattr("hil.stations.platform.gate.child.check_build", refuse)
    code = f"import sys; open({str(tmp_path / 'order')!r}, 'w').write(sys.stdin.readline())"
    order = GateOrder(BankSpec("sim:", "paper", 0.01, settings={}), LIMITS, 0, 1, 2, 2.0)
    child = GateChild(order, ("-c", code))
    try:
        with pytest.raises(DriveSetupError, match=r"sim:: safety/gate\.py is not the file"):
            child.start(RealClock().now_s)
    finally:
        child.kill()
    written = tmp_path / "order"
    assert not written.exists() or written.read_text() == ""


def test_every_library_that_we_depend_on_is_looked_at():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = {re.split(r"[^\w-]", line, maxsplit=1)[0] for line in project["dependencies"]}
    assert set(LIBRARIES) == wanted


def test_a_run_records_our_code_and_the_libraries():
    ours, *libraries = origins()
    assert (ours.name, ours.path) == ("hil-bench", str(HOME))
    assert {one.name for one in libraries} == set(LIBRARIES)
    numpy = library_origin("numpy")
    assert numpy.version == __import__("numpy").__version__
    assert numpy in libraries
    assert "not installed" in str(library_origin("no-such-library"))


def test_distributions_of_others_are_recorded_with_a_digest_of_what_is_there(tmp_path, monkeypatch):
    put(tmp_path, {
        "their_station/__init__.py": b"",
        "their_station/station.py": b"x = 1\n",
        "their_station-1.2.dist-info/METADATA": b"Metadata-Version: 2.1\nName: their-station\n"
                                                b"Version: 1.2\n",
    })  # fmt: skip
    monkeypatch.syspath_prepend(str(tmp_path))
    first = code_origin("their-station", ["their_station"])
    assert (first.version, first.path) == ("1.2", str(tmp_path))
    (tmp_path / "their_station" / "station.py").write_text("x = 2\n")
    assert code_origin("their-station", ["their_station"]).sha256 != first.sha256
    with pytest.raises(InstallationError, match="no_such"):
        code_origin("their-station", ["no_such"])
    shutil.rmtree(tmp_path / "their_station")
