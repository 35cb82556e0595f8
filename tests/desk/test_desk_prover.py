"""The desk's end of the prover: newest pose, one motion at a time, and a process that dies."""

import os

import pytest
from desk_samples import child, platform_header, short_plan, until

from hil.desk.order import MOTION_MAX_BYTES
from hil.desk.parts import PendingRequest
from hil.desk.prover import QUEUE_MAX, ProverChild
from hil.stations.platform.proof.requests import PlanJudge

SOME = (0.0,) * 6
Z = {"axis": "z", "amplitude_m": 0.05, "frequency_hz": 0.5}

ECHO = """
import json, os, socket, sys
wire = socket.socket(fileno=int(sys.argv[1]))
while packet := wire.recv(1 << 20):
    asked = json.loads(packet)
    table = asked["table"] or {}
    if "die" in table:
        os._exit(7)
    if "wait" in table:
        continue
    lane = "pose" if asked["table"] is None else "table"
    said = {"lane": lane, "error": table.get("error", ""), "motion": os.environ["TMPDIR"]}
    wire.send(json.dumps(said).encode())
"""


KILLED_DESK = """
import os, sys
from hil.desk.prover import ProverChild
from hil.stations.platform.lead.assembly import PROVER_PROGRAM as PROGRAM
prover = ProverChild(os.open(sys.argv[1], os.O_RDONLY), lambda *verdict: None, PROGRAM)
prover.start()
print(prover._work.path, flush=True)
sys.stdin.readline()
"""


class Desk:
    """Takes verdicts, and reads the wire when the prover has said something."""

    def __init__(self, source=ECHO):
        self.verdicts = []
        self.prover = ProverChild(0, lambda *verdict: self.verdicts.append(verdict), ("-c", source))

    def until(self, count):
        def told():
            self.prover.readable()
            return len(self.verdicts) >= count

        until(told)
        return [(case.id, error) for case, error, _ in self.verdicts]


@pytest.fixture
def desk():
    made = Desk()
    yield made
    made.prover.close()


def pose(number, client=1):
    return PendingRequest(client, number, pose=SOME)


def table(number, **values):
    return PendingRequest(1, number, table=values)


def test_a_pose_gives_way_to_a_newer_one_of_the_same_client(desk):
    for case in (pose(1), pose(2), pose(3), pose(4, client=2), pose(5)):
        desk.prover.ask(case)
    verdicts = desk.until(5)
    overtaken = "target: a newer one has taken its place"
    assert verdicts == [(2, overtaken), (3, overtaken), (1, ""), (4, ""), (5, "")]


def test_a_pose_does_not_wait_for_a_motion(desk):
    desk.prover.ask(table(1, wait=True))
    desk.prover.ask(table(2))
    desk.prover.ask(pose(3))
    assert desk.until(1) == [(3, "")]
    for number in range(QUEUE_MAX):
        desk.prover.ask(table(10 + number))
    assert f"{QUEUE_MAX} questions wait" in desk.until(2)[1][1]


def test_what_a_dead_prover_was_asked_is_not_proved_and_the_next_one_is(desk):
    desk.prover.ask(table(1, die=True))
    desk.prover.ask(table(2, error="9 m, limit 1 m"))
    desk.prover.ask(pose(3))
    verdicts = dict(desk.until(3))
    assert verdicts[1] == "the proof was not finished (exit status 7)"
    assert verdicts[2] == "9 m, limit 1 m"
    assert verdicts[3] in ("", verdicts[1])
    folder = next(motion for case, _, motion in desk.verdicts if case.id == 2).decode()
    assert os.path.isdir(folder)
    desk.prover.close()
    assert not os.path.exists(folder)
    assert desk.prover.wire is None


def test_a_prover_whose_desk_is_killed_ends_and_leaves_nothing(tmp_path):
    header = tmp_path / "header.json"
    header.write_bytes(platform_header().to_json())
    desk = child(KILLED_DESK, header)
    folder = desk.stdout.readline().decode().strip()
    assert os.path.isdir(folder)
    desk.kill()
    desk.communicate()
    until(lambda: not os.path.exists(folder), timeout_s=30.0)


@pytest.mark.parametrize("value", [2**80, float("nan"), "\ud800", [[[]]]], ids=repr)
def test_whatever_a_table_holds_can_be_asked(desk, value):
    desk.prover.ask(table(1, error="e", value=value))
    assert desk.until(1) == [(1, "e")]


@pytest.fixture(scope="module")
def proof():
    return PlanJudge(short_plan())


def motion(**changes):
    return dict(platform_header().scenario["scenario"]["motion"]) | changes


def test_a_good_motion_comes_back_in_full(proof):
    given = motion(duration_s=0.3)
    given.pop("neutral")
    error, encoded = proof.motion(given)
    assert error == ""
    assert b'"neutral":null' in encoded


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"kind": "hold"}, "motion.kind = 'hold': need 'multi_sine'"),
        ({"kind": 3}, "motion.kind = 3: need 'multi_sine'"),
        ({"duration_s": -1.0}, "motion: duration_s = -1.0"),
        ({"duration_s": "long"}, "motion: duration_s = 'long'"),
        ({"more": 1}, "more = 1: unknown key"),
        ({"terms": [Z | {"amplitude_m": 2.0}]}, "leg 1: length"),
        ({"terms": [Z | {"frequency_hz": 9.0}]}, "leg 1: acceleration"),
    ],
)
def test_a_wrong_motion_is_refused_with_the_reason(proof, changes, why):
    error, encoded = proof.motion(motion(**changes))
    assert why in error
    assert len(error) < 2000
    assert encoded == b""


def test_a_motion_that_does_not_fit_into_the_slot_is_refused(proof):
    term = {"axis": "z", "amplitude_m": 0.0001, "frequency_hz": 0.1}
    error, encoded = proof.motion(motion(terms=[term] * 400))
    assert f"at most {MOTION_MAX_BYTES} bytes" in error
    assert encoded == b""


def test_only_a_run_of_sines_can_be_changed():
    plan = short_plan()
    changed = plan.scenario.model_copy(update={"motion": type("Other", (), {"kind": "recorded"})()})
    error, _ = PlanJudge(plan.model_copy(update={"scenario": changed})).motion(motion())
    assert "motion.kind is 'recorded'" in error


def test_a_pose_is_judged_by_the_envelope(proof):
    assert proof.target((0.0, 0.0, 1.0, 0.0, 0.0, 0.0)) == ""
    error = proof.target((0.0, 0.0, 0.2, 0.0, 0.0, 0.0))
    assert error.startswith("target: leg 1: length")
    assert "limit" in error
    assert " m" in error
