"""An FMU in its own process: right values at right times, and whatever it does is an answer."""

import math
import os
import signal
from pathlib import Path

import pytest
from fmu_vehicles import FAULTS, c_vehicle, python_vehicle
from opened_files import opened_files

from hil.config.errors import RefusedError
from hil.fmu.description import read_description
from hil.fmu.process import ModelProcess
from hil.fmu.wire import ModelOrder, StepStatus

STEP_S = 0.002
W = 2.0 * math.pi * 0.25


def order(path, outputs, **others):
    model = read_description(path)
    given = {"step_s": STEP_S, "substeps": 1, "inputs": ()} | others
    return ModelOrder(path=str(path), sha256=model.sha256, outputs=outputs, **given)


def drive(process, steps, inputs=()):
    answers = [process.first]
    for index in range(1, steps + 1):
        process.ask(index, inputs)
        answers.append(process.wait(5.0))
    return answers


@pytest.mark.parametrize("fmi", [2, 3])
def test_outputs_follow_the_closed_form_and_inputs_go_in(tmp_path, fmi):
    names = ("f_x", "f_y", "f_z", "steps", "echo")
    with ModelProcess(order(c_vehicle(tmp_path, fmi), names, inputs=("steer",))) as process:
        answers = drive(process, 200, (0.3,))
    assert [answer.index for answer in answers] == list(range(201))
    for k, answer in enumerate(answers):
        t = k * STEP_S  # one multiplication, as the model's own time is made
        assert answer.values[0] == pytest.approx(1.5 * math.sin(W * t), abs=1e-15)
        assert answer.values[1] == pytest.approx(0.8 * (1.0 - math.cos(W * t)), abs=1e-15)
        assert answer.values[2:4] == (-9.80665, k)
        assert answer.values[4] == (0.6 if k else 0.0)


def test_time_is_a_product_and_never_a_sum(tmp_path):
    path = c_vehicle(tmp_path, 3)
    with ModelProcess(order(path, ("time",), step_s=0.0001, substeps=20)) as process:
        answers = drive(process, 3000)
    # The model is told t = k h and adds h once; a running sum is off by 1e-13 here.
    wanted = [0.0] + [(20 * k - 1) * 0.0001 + 0.0001 for k in range(1, 3001)]
    assert [answer.values[0] for answer in answers] == wanted


def test_elements_of_an_array_are_read_in_any_order(tmp_path):
    names = ("force[3]", "f_x", "force[1]", "force[2]", "f_y")
    with ModelProcess(order(c_vehicle(tmp_path, 3), names)) as process:
        for third, x, first, second, y in (one.values for one in drive(process, 50)):
            assert (first, second, third) == (x, y, -9.80665)
    assert x != 0.0


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize(("fault", "ends"), [(9.0, "status 3"), (10.0, "ended with status 4")])
def test_why_a_model_does_not_begin_is_its_own_log(tmp_path, fmi, fault, ends):
    """Whether it refuses or takes its process with it, and though it logs only if it may."""
    with pytest.raises(RefusedError, match=r"does not begin: .*no licence for this machine") as one:
        ModelProcess(order(c_vehicle(tmp_path, fmi), ("f_x",), start={"fault": fault}))
    assert fault == 9.0 or ends in str(one.value)


@pytest.mark.parametrize("fmi", [2, 3])
def test_substeps_are_all_done(tmp_path, fmi):
    path = c_vehicle(tmp_path, fmi)
    with ModelProcess(order(path, ("steps",), step_s=0.0005, substeps=4)) as process:
        assert [answer.values[0] for answer in drive(process, 5)] == [0, 4, 8, 12, 16, 20]


@pytest.mark.parametrize("fmi", [2, 3])
def test_vehicles_of_other_tools(tmp_path, fmi):
    with ModelProcess(order(python_vehicle(tmp_path, fmi), ("f_x", "r"))) as process:
        answers = drive(process, 50)
    for k, answer in enumerate(answers[1:], 1):
        t = (k - 1) * STEP_S + STEP_S
        wanted = math.sin(math.pi * t), 0.1 * math.sin(0.5 * math.pi * t)
        assert answer.values == pytest.approx(wanted, abs=1e-15)


def test_nothing_that_was_unpacked_stays(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "unpacked"))
    (tmp_path / "unpacked").mkdir()
    with ModelProcess(order(c_vehicle(tmp_path, 2), ("f_x",))) as process:
        assert [*(tmp_path / "unpacked").rglob("*.so")]
        drive(process, 3)
    assert not [*(tmp_path / "unpacked").iterdir()]
    start = {"fault": float(FAULTS["crash"]), "at_s": 0.002}
    with ModelProcess(order(c_vehicle(tmp_path, 2), ("f_x",), start=start)) as process:
        assert drive(process, 3)[-1].status is StepStatus.CRASHED
    assert not [*(tmp_path / "unpacked").iterdir()]


SEEN = {
    "crash": (StepStatus.CRASHED, "SIGSEGV"),
    "exit": (StepStatus.CRASHED, "status 3"),
    "nan": (StepStatus.NOT_FINITE, "f_y = nan"),
    "discard": (StepStatus.DISCARD, "oStep"),
    "error": (StepStatus.ERROR, "oStep"),
    "end": (StepStatus.END, ""),
}


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("fault", [*SEEN, "early"])
def test_each_fault_is_an_answer(tmp_path, fmi, fault):
    status, says = SEEN.get(fault) or (
        (StepStatus.EARLY, "returned at") if fmi == 3 else (StepStatus.DISCARD, "oStep")
    )
    start = {"fault": float(FAULTS[fault]), "at_s": 0.02}
    path = c_vehicle(tmp_path, fmi)
    with ModelProcess(order(path, ("f_x", "f_y"), start=start)) as process:
        answers = drive(process, 12)
    assert all(answer.status is StepStatus.OK for answer in answers[:10])
    assert answers[10].status is status
    assert says in answers[10].text
    assert answers[11].status is status  # and it stays


@pytest.mark.parametrize("fmi", [2, 3])
def test_a_hang_is_given_up_and_its_process_is_gone(tmp_path, fmi):
    start = {"fault": float(FAULTS["hang"]), "at_s": 0.01}
    path = c_vehicle(tmp_path, fmi)
    with ModelProcess(order(path, ("f_x",), start=start)) as process:
        drive(process, 4)
        process.ask(5, ())
        answer = process.wait(0.2)
        assert (answer.status, answer.text) == (StepStatus.HUNG, "gave no answer within 0.2 s")
        assert process.take() == answer
        pid = process.pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_nothing_waits_for_a_hang(tmp_path):
    start = {"fault": float(FAULTS["hang"]), "at_s": 0.0}
    with ModelProcess(order(c_vehicle(tmp_path, 2), ("f_x",), start=start)) as process:
        process.ask(1, ())
        assert process.take() is None
        for index in range(2, 20_000):  # far more than its queue holds: asking never waits
            process.ask(index, ())
        assert process.take().status is StepStatus.HUNG  # pyright: ignore[reportOptionalMemberAccess]


def test_a_killed_process_is_an_answer(tmp_path):
    with ModelProcess(order(c_vehicle(tmp_path, 2), ("f_x",))) as process:
        os.kill(process.pid, signal.SIGKILL)
        assert "SIGKILL" in drive(process, 1)[1].text


def test_another_file_than_the_trusted_one_is_not_loaded(tmp_path):
    path = c_vehicle(tmp_path, 2)
    wanted = order(path, ("f_x",))
    with path.open("ab") as file:
        file.write(b" ")
    with pytest.raises(RefusedError, match="another file than the one that was trusted"):
        ModelProcess(wanted)


def test_a_library_that_does_not_load_is_told(tmp_path):
    import zipfile

    whole, broken = c_vehicle(tmp_path, 2), tmp_path / "broken.fmu"
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(broken, "w") as new:
        for name in old.namelist():
            new.writestr(name, b"no library" if name.endswith(".so") else old.read(name))
    with pytest.raises(RefusedError, match="does not begin"):
        ModelProcess(order(broken, ("f_x",)))


def test_an_order_that_is_too_long_is_refused_with_its_length(tmp_path):
    start = {f"{'long' * 20}_{k}": 0.0 for k in range(900)}
    wanted = order(c_vehicle(tmp_path, 2), ("f_x",), start=start)
    with pytest.raises(RefusedError, match=r"takes \d+ bytes, 65536 at most"):
        ModelProcess(wanted)


def test_bytes_that_are_no_answer_are_a_failure():
    from hil.fmu.wire import Packer, StepAnswer

    packer = Packer(1, 2)
    whole = packer.answer(StepAnswer(StepStatus.OK, 7, (1.0, 2.0), "", 0.5))
    assert packer.answered(whole) == StepAnswer(StepStatus.OK, 7, (1.0, 2.0), "", 0.5)
    for cut in (b"", whole[:-1], whole + b"x", b"\xff" + whole[1:]):
        assert packer.answered(cut).status is StepStatus.CRASHED
    refused = packer.answer(StepAnswer(StepStatus.DISCARD, 3, (), "because é"))
    assert packer.answered(refused) == StepAnswer(StepStatus.DISCARD, 3, (), "because é")
    assert packer.asked(packer.ask(4, (0.25,))) == (4, (0.25,))


def test_an_fmu_is_opened_once_and_what_was_judged_is_what_runs(tmp_path):
    """Somebody who exchanges the file meanwhile, or names it through a link, changes nothing."""
    path = c_vehicle(tmp_path, 2)
    with opened_files(path.parent) as opened:
        wanted = order(path, ("f_x",))
    assert opened[path.name] == 1, "its digest and its description are of the same bytes"
    with opened_files(path.parent) as opened, ModelProcess(wanted) as process:
        assert process.first.status is StepStatus.OK
    assert opened == {path.name: 1}, "the process opens a copy of its own"


def test_the_place_of_an_fmu_may_be_relative(tmp_path, monkeypatch):
    path = c_vehicle(tmp_path, 2)
    monkeypatch.chdir(path.parent)
    wanted = order(Path(path.name), ("f_x",))
    with ModelProcess(wanted) as process:
        assert process.first.status is StepStatus.OK
    path.unlink()
    with pytest.raises(RefusedError, match="cannot be copied: No such file"):
        ModelProcess(wanted)
