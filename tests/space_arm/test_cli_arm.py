"""``hil arm``: what scripts get, and what is refused."""

import json
import math

import numpy as np
import pytest
from typer.testing import CliRunner

from hil.cli.main import app
from hil.stations.arm.commands.space_arms import loads_of, space_arm_of

QUICK = ("--motions", "1", "--reference-step", "1000", "--repeats", "1", "--no-rk4")
KEYS = {
    "model", "payload_kg", "error_max_mm", "error_median_mm", "orientation_max_deg", "percent_max",
    "rtf", "cost_ratio_rk4", "reference_error_mm", "published_1993", "worst_motion", "worst_at_s",
    "nudged_mm",
}  # fmt: skip


def call(*arguments):
    """Exit status, standard output and standard error."""
    result = CliRunner().invoke(app, ["arm", *arguments])
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture(autouse=True)
def _one_core(monkeypatch):
    monkeypatch.setattr("hil_arm_study.references.cores", lambda: 1)


def test_table_as_json():
    status, text, _ = call("table", "--model", "a,b", "--payload", "none,heavy", *QUICK, "--json")
    assert status == 0
    told = json.loads(text)
    assert told["ok"] is True
    assert told["arm"] == "bkm"
    assert [(row["model"], row["payload_kg"]) for row in told["rows"]] == [
        ("a", 0.0), ("a", 14500.0), ("b", 0.0), ("b", 14500.0),
    ]  # fmt: skip
    for row in told["rows"]:
        assert row.keys() >= KEYS
        assert 0.0 <= row["error_median_mm"] <= row["error_max_mm"] < 1.0
        assert row["rtf"] > 1.0
        assert row["cost_ratio_rk4"] is None


def test_table_for_people_names_1993():
    status, text, _ = call("table", "--model", "b", "--payload", "none", *QUICK)
    assert status == 0
    assert "1993" in text
    line = next(line for line in text.splitlines() if line.split()[:1] == ["b"])
    assert line.split()[1] == "0"
    assert line.split()[2:4] == ["100", "%"], "the reference of model b is known at every tick"
    assert line.split()[6] == "2"  # mm of 1993
    assert "The scheme of 1993 does not give these figures on this arm" in text


def test_a_payload_of_a_given_mass_is_shaped_like_the_nearest():
    settings = space_arm_of("bkm")
    body = loads_of(settings, "700")[0].body
    light = settings.payloads()["light"]
    assert body.mass_kg == 700.0
    assert np.array_equal(body.com_m, light.com_m)
    assert body.inertia_kg_m2 == pytest.approx(0.7 * light.inertia_kg_m2)
    heavy = loads_of(settings, "20000")[0].body
    assert np.array_equal(heavy.com_m, settings.payloads()["heavy"].com_m)


def test_a_failed_run_gives_status_1(monkeypatch):
    from hil_arm_study import table

    monkeypatch.setattr(table.FollowedMotion, "failed", property(lambda _: True))
    status, text, _ = call("table", "--model", "a", "--payload", "none", *QUICK, "--json")
    assert status == 1
    told = json.loads(text)
    assert told["ok"] is False
    assert told["rows"][0]["failed"] is True


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--model", "g"), "no drive model"),
        (("--model", "f", "--arm", "puma560"), "inductance_h is not given for the drive of waist"),
        (("--model", "f", "--integrator", "euler1993"), "there are a, b, c, d"),
        (("--model", "e", "--integrator", "euler1993"), "a, b, c, d"),
        (("--payload", "feather"), "none, light, heavy"),
        (("--payload", "-5"), "above 0"),
        (("--payload", "nan"), "above 0"),
        (("--payload", "1e9"), "at most"),
        (("--integrator", "sdirk4", "--model", "c"), "there are a, b, d, e, f"),
        (("--integrator", "rk4"), "sdirk2 or sdirk4 or euler1993"),
        (("--motions", "99"), "there are"),
        (("--arm", "nowhere"), "no such file"),
    ],
)
def test_bad_usage_is_refused_with_what_is_right(arguments, said):
    status, text, told = call("table", *QUICK[2:], *arguments)
    assert status == 2
    assert said in " ".join(told.split())
    assert not text


@pytest.mark.parametrize("arguments", [("--motions", "0"), ("--step", "0"), ("--nonsense",)])
def test_the_command_line_itself_is_checked(arguments):
    assert call("table", *arguments)[0] == 2


def test_a_cache_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    folder = str(tmp_path / "file" / "cache")
    status, _, told = call("table", "--model", "a", "--payload", "none", *QUICK, "--cache", folder)
    assert status == 2
    assert "cannot be written" in told


def test_forward_kinematics():
    status, text, _ = call("fk", "bkm", "--q", "0,0,0,0,0,0", "--json")
    assert status == 0
    stretched = json.loads(text)
    turned = json.loads(call("fk", "bkm", "--q", "90,0,0,0,0,0", "--json")[1])
    x, y, z = stretched["position_m"]
    assert math.hypot(x, y) > 14.0
    assert turned["position_m"] == pytest.approx([-y, x, z], abs=1e-12)
    assert stretched["smallest_singular_value"] < 0.03
    assert json.loads(call("fk", "bkm", "--json")[1])["smallest_singular_value"] > 0.1


def test_forward_kinematics_for_people():
    status, text, _ = call("fk", "shuttle_rms")
    assert status == 0
    assert text.splitlines()[0].startswith("x ")


def test_advance_follows_the_command():
    arguments = ("--rates", "0.5,0,0,0,0,0", "--ticks", "20", "--model", "a", "--json")
    status, text, _ = call("advance", "bkm", *arguments)
    assert status == 0
    ticks = json.loads(text)["ticks"]
    assert len(ticks) == 20
    assert ticks[-1]["time_s"] == pytest.approx(7.0)
    # The speed loop has no integral part: it lags by its back EMF over its gain.
    assert ticks[-1]["v_rad_s"][0] == pytest.approx(math.radians(0.5) * 8.0 / 8.25, rel=1e-3)
    assert ticks[-1]["status"] == "done"
    assert ticks[-1]["active"] == [[]] * 6


def test_advance_names_what_holds_a_joint():
    arguments = ("--rates", "0,1,0,0,0,0", "--payload", "heavy", "--ticks", "2", "--model", "b")
    status, text, _ = call("advance", "bkm", *arguments)
    assert status == 0
    assert text.count("2 voltage+current") == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--rates", "1,2"), "2 numbers; 6"),
        (("--rates", "900,0,0,0,0,0"), "commanded rate"),
        (("--rates", "0,0,0,0,0,0", "--q", "0,999,0,0,0,0"), "outside"),
        (("--rates", "0,0,0,0,0,0", "--payload", "none,light"), "one payload"),
    ],
)
def test_a_wrong_tick_is_refused(arguments, said):
    status, _, told = call("advance", "bkm", *arguments)
    assert status == 2
    assert said in " ".join(told.split())
