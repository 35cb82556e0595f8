"""``hil arm simplify``: columns that were measured before, verdicts, what is refused."""

import json
from dataclasses import replace

import numpy as np
import pytest
from arms import shipped
from campaign import count
from hil_arm_study.compare import SimulatedCase
from hil_arm_study.motions import COUNT, drawn_motions, motions
from hil_arm_study.omitted_runs import (
    ALL_AT_ONCE,
    MATRIX_PER_TICK,
    NOTHING,
    SCHEME_1993,
    examine,
    variants_of,
)
from hil_arm_study.simplify import OmissionRow, SimplifyPlan, examine_all, make_rows
from hil_arm_study.simplify_command import payloads_of, speeds_of
from hil_arm_study.simplify_picture import omissions_picture
from hil_arm_study.verdicts import verdicts
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.errors import ConfigError
from hil.stations.arm.commands.space_arms import loads_of
from sim.world.space_arm.drive import DriveModel
from sim.world.space_arm.error_bound import ErrorBound
from sim.world.space_arm.integrators_1993 import Rk4
from sim.world.space_arm.simulator import SpaceArm

# one worker: the scheme of 1993 is compiled once
pytestmark = pytest.mark.xdist_group("classic integrators")

BKM = shipped("bkm")
ARM, HOME = BKM.arm(), BKM.home_rad()
A, B, E = DriveModel.A, DriveModel.B, DriveModel.E
BOUND = ErrorBound(0.5, percent=True)
SHEET = {
    "1000": {
        "a": {"coriolis": (6.5, 0.31), "coefficients": (0.019, None),
              "point-masses": (0.106, 0.004), "massless-links": (18.8, 0.68)},
        "b": {"coriolis": (205.0, 4.6), "point-masses": (7.0, 0.33),
              "massless-links": (558.0, 20.0)},
    },
    "300": {
        "a": {"coriolis": (2.3, 0.11), "coefficients": (0.005, None),
              "point-masses": (0.107, 0.004), "massless-links": (18.8, 0.68)},
        "b": {"coriolis": (65.0, 1.9), "point-masses": (8.9, 0.27),
              "massless-links": (1405.0, 47.0)},
    },
    "14500": {
        "a": {"coriolis": (82.0, 4.0), "coefficients": (0.18, None),
              "point-masses": (0.045, 0.002), "massless-links": (10.6, 0.47)},
        "b": {"coriolis": (263.0, 24.0), "point-masses": (0.40, 0.04),
              "massless-links": (20.0, 2.2)},
    },
    "none": {
        "a": {"coriolis": (0.50, 0.02), "coefficients": (0.0002, None),
              "point-masses": (0.107, 0.004)},
        "b": {"coriolis": (2.7, 0.09), "point-masses": (4.4, 0.18)},
    },
    "heavy@3000": {
        "a": {"coriolis": (23.0, 1.1), "coefficients": (0.096, None),
              "point-masses": (0.104, 0.004), "massless-links": (26.7, 0.98)},
        "b": {"coriolis": (285.0, 20.0), "point-masses": (2.7, 0.17),
              "massless-links": (344.0, 10.0)},
    },
}  # fmt: skip
"""Payload → model → omission → largest mm and % of eight motions, by another program."""
DIGITS = {0.0002: 1, 0.005: 1, 0.02: 1, 0.004: 1, 0.002: 1, 0.04: 1, 0.09: 1, 10.0: 1}
"""How many digits a figure has there, if not two or more."""


def agrees(value, figure):
    """Whether a value rounds to a figure of so many digits."""
    places = DIGITS.get(figure)
    if places is None:
        places = max(2, len(f"{figure:g}".replace(".", "").lstrip("0")))
    return float(f"{value:.{places}g}") == figure


def plan_of(models, payloads, starts, speeds=(1.0,), bound=BOUND):
    slow = {speed: drawn_motions(ARM, HOME, starts, speed) for speed in speeds}
    return SimplifyPlan(ARM, models, loads_of(BKM, payloads), slow, bound)


@pytest.mark.campaign
@pytest.mark.timeout(1200)
def test_columns_that_were_measured_before():
    for payload in list(SHEET)[: count(len(SHEET))]:
        plan = plan_of((A, B), payload, 8)
        rows = make_rows(plan, examine_all(plan.cases(), workers=1))
        found = {(row.model, row.omitted): row for row in rows}
        for model, figures in SHEET[payload].items():
            for omitted, (mm, percent) in figures.items():
                row = found[model, omitted]
                assert agrees(row.error_max_mm, mm), (payload, model, omitted, row)
                assert percent is None or agrees(row.percent_max, percent), (payload, row)
                assert row.known_ticks == 1.0
                assert row.known_max_mm == pytest.approx(row.error_max_mm, rel=0.05, abs=0.05)


def test_first_motions_are_those_of_the_table():
    drawn, slow = drawn_motions(ARM, HOME, COUNT + 2), motions(ARM, HOME)
    for one, other in zip(drawn, slow, strict=False):
        assert one.name == other.name
        assert np.array_equal(one.q_start_rad, other.q_start_rad)
        assert np.array_equal(one.commands_rad_s, other.commands_rad_s)
    assert len({one.name for one in drawn}) == len(drawn)
    assert not np.array_equal(drawn[COUNT].q_start_rad, drawn[0].q_start_rad)


def test_speed_is_a_factor_on_the_rates_within_the_joints_limits():
    usual, fast = (drawn_motions(ARM, HOME, 5, speed) for speed in (1.0, 2.0))
    for slow, twice in zip(usual, fast, strict=True):
        assert np.array_equal(slow.q_start_rad, twice.q_start_rad)
        most = np.abs(twice.commands_rad_s).max(axis=0)
        assert (most <= [link.rate_max_rad_s for link in ARM.links]).all()
    once, twice = (
        np.linalg.norm(speed[0].commands_rad_s[:24], axis=1).max() for speed in (usual, fast)
    )
    assert twice == pytest.approx(2.0 * once, rel=0.05)


def test_variants_of_a_model():
    names = [one.name for one in variants_of(A, ARM, None)]
    assert names[0] == NOTHING
    assert names[-3:] == [ALL_AT_ONCE, SCHEME_1993, MATRIX_PER_TICK]
    assert "massless-links" not in names
    heavy = [one.name for one in variants_of(E, ARM, BKM.payloads()["heavy"])]
    assert {"massless-links", "coriolis+massless-links", "elasticity", "friction"} <= set(heavy)
    assert {"backlash+elasticity", "limits"} <= set(heavy)
    assert SCHEME_1993 not in heavy
    assert len(heavy) == len(set(heavy))


def test_errors_of_an_omission_are_those_of_another_integrator():
    """RK4 without Coriolis torques beside RK4 with them."""
    slow = drawn_motions(ARM, HOME, 2)[1]
    short = replace(slow, commands_rad_s=slow.commands_rad_s[:10])
    payload = BKM.payloads()["light"]
    found = examine(SimulatedCase(ARM, payload, A, short))
    paths = []
    for coriolis in (False, True):
        space = SpaceArm(
            ARM, A, short.q_start_rad, payload=payload, integrator=Rk4(1e-3, coriolis=coriolis)
        )
        paths.append([space.advance(one).position_BG_m for one in short.commands_rad_s])
    without, whole = map(np.array, paths)
    mm = 1e3 * np.sqrt(((without - whole) ** 2).sum(axis=1))
    widest = max(np.ptp(whole[:, axis]) for axis in range(3))
    percent = 100.0 * np.abs(without - whole).max(axis=1) / widest
    errors = found.runs["coriolis"].errors
    assert mm.max() > 0.05
    assert errors.mm == pytest.approx(mm, rel=1e-3, abs=2e-3)
    assert errors.percent == pytest.approx(percent, rel=1e-3, abs=1e-3)
    assert found.runs[NOTHING].to_reference.mm.max() < 0.01
    assert not found.failed


def row_of(omitted, payload_kg, mm, percent, known=1.0, failed=0, model="a", speed=1.0):
    return OmissionRow(
        model=model, speed=speed, payload=str(payload_kg), payload_kg=payload_kg, omitted=omitted,
        error_max_mm=9e9, error_median_mm=0.0, orientation_max_deg=0.0, orientation_median_deg=0.0,
        percent_max=9e9, percent_median=0.0, known_ticks=known, known_max_mm=mm,
        known_max_percent=percent, worst_motion="up", failed=failed,
    )  # fmt: skip


class TestVerdicts:
    PLAN = SimplifyPlan(ARM, (A,), (), {1.0: ()}, BOUND)

    def judged(self, *rows):
        return {(v.sentence.split(":")[0], v.omitted): v for v in verdicts(self.PLAN, rows)}

    def test_a_claim_holds_up_to_the_first_payload_that_breaks_it(self):
        rows = [row_of("coriolis", kg, mm, 0.1) for kg, mm in
                ((3000.0, 1.0), (0.0, 0.5), (1000.0, 2.6), (300.0, 2.4))]  # fmt: skip
        found = self.judged(*rows)["no Coriolis", "coriolis"]
        assert (found.holds_to_kg, found.error_there) == (300.0, 2.4)
        assert (found.fails_at_kg, found.error_at_failure) == (1000.0, 2.6)
        assert (found.limit, found.unit) == (2.5, "mm")

    def test_massless_links_are_judged_above_three_arm_masses(self):
        rows = [row_of("massless-links", kg, 1.0, share)
                for kg, share in ((300.0, 50.0), (1100.0, 0.9), (3000.0, 1.0))]  # fmt: skip
        found = self.judged(*rows)["massless links above 3 arm masses", "massless-links"]
        assert (found.holds_to_kg, found.error_there, found.fails_at_kg) == (3000.0, 1.0, None)

    def test_a_bound_of_ones_own(self):
        rows = [row_of("point-masses", kg, 1.0, share) for kg, share in ((0.0, 0.5), (1.0, 0.51))]
        found = self.judged(*rows)["within 0.5 %", "point-masses"]
        assert (found.holds_to_kg, found.fails_at_kg) == (0.0, 1.0)

    def test_a_claim_that_never_holds(self):
        found = self.judged(row_of("coriolis", 0.0, 3.0, 9.0))["no Coriolis", "coriolis"]
        assert (found.holds_to_kg, found.fails_at_kg) == (None, 0.0)

    @pytest.mark.parametrize("changes", [{"known": 0.49}, {"failed": 1}])
    def test_what_is_not_known_does_not_hold(self, changes):
        rows = [row_of("coriolis", 0.0, 1.0, 0.1), row_of("coriolis", 300.0, 0.0, 0.0, **changes)]
        found = self.judged(*rows)["no Coriolis", "coriolis"]
        assert (found.holds_to_kg, found.fails_at_kg) == (0.0, 300.0)
        assert found.error_at_failure is None
        assert found.known_ticks == changes.get("known", 1.0)


def test_ticks_count_as_known_to_a_tenth_of_the_bound():
    """The reference of an elastic arm is known at some ticks only; its own errors say at which."""
    plan = plan_of((E,), "none", 1)
    case = plan.cases()[0]
    found = examine(case)
    for percent in (False, True):
        middle = np.median(found.reference.percent if percent else found.reference.mm)
        bound = ErrorBound(10.0 * float(middle), percent)
        asked = replace(plan, bound=bound)
        row = make_rows(asked, [found])[0]
        sure = found.reference.percent if bound.percent else found.reference.mm
        known = [k for k, error in enumerate(sure) if error <= 0.1 * bound.value]
        assert 0.4 < row.known_ticks < 0.6
        assert row.known_ticks == pytest.approx(len(known) / len(sure))
        assert row.known_max_mm == max(found.runs[NOTHING].to_reference.mm[k] for k in known)


def call(*arguments):
    """Exit status, standard output and standard error."""
    result = CliRunner().invoke(app, ["arm", "simplify", *arguments])
    return result.exit_code, result.stdout, result.stderr


def test_scripts_get_rows_and_verdicts(tmp_path):
    status, text, _ = call(
        "bkm", "--model", "a", "--payload", "300", "--speed", "1", "--starts", "1",
        "--bound", "2mm", "--pictures", str(tmp_path), "--json",
    )  # fmt: skip
    found = json.loads(text)
    assert status == 0
    assert found["bound"] == "2 mm"
    assert found["motions"] == {"1": ["there-and-back"]}
    assert {(row["payload_kg"], row["omitted"]) for row in found["rows"]} >= {
        (300.0, "coriolis"), (300.0, "massless-links"), (300.0, SCHEME_1993),
    }  # fmt: skip
    sentences = {one["sentence"] for one in found["verdicts"]}
    assert {"no Coriolis: at most 2.5 mm", "within 2 mm"} <= sentences
    (picture,) = found["written"]
    assert (tmp_path / "omissions.png").read_bytes()[1:4] == b"PNG"
    assert picture == str(tmp_path / "omissions.png")


def test_people_read_a_matrix_and_verdicts():
    status, text, _ = call(
        "bkm", "--model", "a", "--payload", "300", "--speed", "1", "--starts", "1"
    )
    assert status == 0
    rows = {line.split()[0]: line for line in text.splitlines() if line.strip()}
    assert "300 kg" in text
    assert rows["coriolis"].count("/") == 1
    assert "no Coriolis: at most 2.5 mm" in text


def test_a_picture_has_a_column_for_each_model():
    plan = replace(plan_of((A, B), "none,300", 1), motions={1.0: drawn_motions(ARM, HOME, 1)})
    rows = [row_of("coriolis", kg, 1.0, 0.1, model=model) for model in "ab" for kg in (0.0, 300.0)]
    picture = omissions_picture(plan, rows)
    assert picture.name == "omissions"
    assert picture.png[1:4] == b"PNG"
    assert "2.5 mm" in picture.caption


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--payload", "-5"), "-5 kg: above 0, at most 100000 kg"),
        (("--payload", "3000:10"), "'3000:10': from 0 kg or more up to a larger mass"),
        (("--payload", "-1:10"), "'-1:10': from 0 kg or more"),
        (("--payload", "0:1e9"), "at most 100000 kg"),
        (("--payload", "0:x"), "'0:x': two masses in kg are needed"),
        (("--payload", "heavy@-3"), "-3 kg: above 0"),
        (("--payload", "anvil@3"), "'anvil' is no payload of the file: light, heavy"),
        (("--payload", "1e5", "--speed", "8"), "elbow_pitch needs"),
        (("--bound", "half"), "'half': percent of the range (0.5%) or millimetres (2mm)"),
        (("--bound", "-1mm"), "-1 mm: above 0 is needed"),
        (("--speed", "0"), "'0': above 0, at most 10"),
        (("--speed", "1,fast"), "'fast': above 0"),
        (("--model", "z"), "'z' is no drive model"),
        (("--starts", "0"), "greater than or equal to 1"),
    ],
)
def test_bad_input(arguments, reason):
    status, _, said = call("bkm", *arguments)
    assert status == 2
    assert reason in " ".join(said.split())


def test_a_payload_that_the_brakes_do_not_hold_is_refused_with_the_heaviest():
    status, _, said = call("puma560", "--payload", "500")
    assert status == 2
    words = " ".join(said.split())
    assert "shoulder needs 13.3 times what its brake holds; of this shape at most 32.8" in words


def test_a_range_is_divided_and_names_the_files_payloads():
    masses = [load.mass_kg for load in payloads_of(BKM, "0:30000")]
    assert masses == [0.0, 300.0, 1000.0, 3000.0, 10000.0, 14500.0, 30000.0]
    assert [load.mass_kg for load in payloads_of(BKM, "500:2000")] == [500.0, 1000.0, 2000.0]
    listed = payloads_of(BKM, "heavy@3000,none,light")
    assert [load.mass_kg for load in listed] == [0.0, 1000.0, 3000.0]
    assert listed[-1].body.com_m[0] == BKM.payloads()["heavy"].com_m[0]


def test_speeds_are_sorted_and_once():
    assert speeds_of("2, 0.5,2") == (0.5, 2.0)
    with pytest.raises(ConfigError):
        speeds_of("11")
