"""A rig with absolute encoders, from the first measuring to a run, on an emulated rack."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from rack_bench import QUICKER, needs_wires, rack, shown, told, told_well

from drives.bank import BankEnd, BankReport
from hil.config.errors import RefusedError
from hil.config.file_search import configs_dir
from hil.machines.rig.drive_fit import OUTSIDE_SOFT_M, scales_of
from hil.machines.rig.drive_reference import (
    LegReference,
    MeasuredPoint,
    NotReferencedError,
    Reference,
    absolute_scales,
    add_point,
    count_goes_round,
    known_place,
    load_reference,
    place_path,
    prove_scale,
    reference_path,
    rig_digest,
    save_place,
    save_reference,
    void_reference,
)
from hil.machines.rig.machine import load_rig
from hil.stations.platform.plan.scenario import load_plan

ABSOLUTE = '\n[drives]\nhoming = "absolute"\nplace_tolerance_m = 0.001\n'
COUNTS = (59_000, 270_000, -280_000, 50_000, -530_000, -30_000)
WHO = tuple(f"vendor 0, product 1026, serial {1001 + leg}" for leg in range(6))


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def rig_file(tmp_path) -> Path:
    text = (configs_dir() / "rigs" / "paper.toml").read_text(encoding="utf-8")
    for old, new in QUICKER.items():
        text = text.replace(old, new)
    path = tmp_path / "absolute.toml"
    path.write_text(text + ABSOLUTE, encoding="utf-8")
    return path


@pytest.fixture
def rig(rig_file):
    return load_rig(rig_file)


def point(counts, length_m, how="inner stop"):
    return MeasuredPoint(counts, length_m, how, "A. Person", "now")


def measured(rig, length_m=0.67):
    reference = Reference(rig_digest(rig))
    for leg, (counts, who) in enumerate(zip(COUNTS, WHO, strict=True), start=1):
        reference = reference.with_leg(leg, LegReference(who, (point(counts, length_m),)))
    save_reference(rig, reference)
    return reference


def test_what_was_measured_says_where_the_encoders_count_from(rig):
    with pytest.raises(NotReferencedError, match="nobody has measured its legs"):
        known_place(rig)
    measured(rig)
    scales = absolute_scales(rig, scales_of(rig))
    for scale, counts in zip(scales, COUNTS, strict=True):
        assert scale.length_m(counts) == pytest.approx(0.67, abs=1e-9)
        assert scale.length_m(counts + 1000) == pytest.approx(0.671, abs=1e-9)


def test_the_legs_must_stand_where_they_were_left_else_in_the_parked_pose(rig):
    measured(rig)
    place = known_place(rig)
    assert place.length_m == rig.cylinders.reference_length_m
    assert "its parked place" in place.where
    save_place(rig, [0.7] * 6)
    assert known_place(rig).length_m == (0.7,) * 6
    assert known_place(rig).where == "where the last run left it"
    for spoilt in ("", "{}", '{"length_m": [0.7]}', '{"length_m": [NaN, 1, 1, 1, 1, 1]}'):
        place_path(rig).write_text(spoilt)
        assert "its parked place" in known_place(rig).where


def test_a_reference_of_another_rig_of_five_legs_or_that_is_void_is_none(rig):
    reference = measured(rig)
    cylinders = rig.cylinders.model_copy(update={"stroke_m": (0.7,) * 6})
    with pytest.raises(NotReferencedError, match="other scales, signs, nodes or strokes"):
        known_place(rig.model_copy(update={"cylinders": cylinders}))
    void_reference(rig, "leg 3: its encoder told fault 7320h")
    with pytest.raises(NotReferencedError, match="void: leg 3: its encoder told fault 7320h"):
        known_place(rig)
    legs = (*reference.legs[:4], None, reference.legs[5])
    save_reference(rig, Reference(rig_digest(rig), legs))
    with pytest.raises(NotReferencedError, match="nobody has measured leg 5"):
        known_place(rig)
    reference_path(rig).write_text("{")
    with pytest.raises(NotReferencedError, match="cannot be read"):
        load_reference(rig)


@pytest.mark.parametrize(
    ("good", "bad"),
    [('"length_m": 0.67', '"length_m": "0.67"'), ('"length_m": 0.67', '"length_m": 1e999'),
     ('"length_m": 0.67', '"length_m": true'), (f'"counts": {COUNTS[0]}', '"counts": 1.5'),
     (f'"counts": {COUNTS[0]}', '"counts": 4294967296'), ('"points"', f'"{"p" * 5000}"')],
)  # fmt: skip
def test_a_damaged_reference_is_none(rig, good, bad):
    measured(rig)
    text = json.dumps(json.loads(reference_path(rig).read_bytes()))
    assert good in text
    reference_path(rig).write_text(text.replace(good, bad, 1))
    with pytest.raises(NotReferencedError, match="cannot be read") as refused:
        load_reference(rig)
    assert len(str(refused.value)) < 1000


def test_two_places_prove_the_scale_and_refuse_a_wrong_one(rig):
    one = add_point(rig, LegReference(WHO[0]), 1, point(59_000, 0.64))
    assert one.scale is None
    near = add_point(rig, one, 1, point(59_500, 0.6405))
    assert near.points == (point(59_500, 0.6405),), "the newer one of two that are close"
    both = add_point(rig, one, 1, point(59_000 + 740_000, 1.38, "outer stop"))
    assert both.scale.how == "between stops"
    assert both.scale.ratio == pytest.approx(1.0)
    ruled = add_point(rig, one, 1, point(59_000 + 100_000, 0.74, "ruler"))
    assert ruled.scale.how == "with a ruler"
    for factor in (10.0, 0.1, 60.0, 1 / 60, -1.0, 1.03, 25.4 / 24.0):
        with pytest.raises(NotReferencedError, match=r"leg 1: the drive told .* times as much"):
            add_point(rig, one, 1, point(59_000 + round(740_000 * factor), 1.38, "outer stop"))
    with pytest.raises(NotReferencedError, match="outside of its stroke"):
        add_point(rig, one, 1, point(59_000, 2.0))


@pytest.mark.parametrize("at", [2**31 - 1, -(2**31), 2**31 - 370_000])
def test_a_reference_whose_count_goes_round_gives_the_same_lengths(rig, at):
    """A scale is proved over the wrap, and both ends of the stroke keep their lengths."""
    far = (at + 740_000 + 2**31) % 2**32 - 2**31
    both = add_point(rig, LegReference(WHO[0], (point(at, 0.64),)), 1, point(far, 1.38, "ruler"))
    assert both.scale.ratio == pytest.approx(1.0)
    reference = Reference(rig_digest(rig), (replace(both, points=(point(at, 0.64),)),) * 6)
    save_reference(rig, reference)
    for scale in absolute_scales(rig, scales_of(rig)):
        assert scale.length_m(at) == pytest.approx(0.64, abs=1e-9)
        assert scale.length_m(far) == pytest.approx(1.38, abs=1e-9)
        assert scale.counts(1.38) == far
    assert count_goes_round(rig) is (at > 0)


def test_where_the_count_goes_round_the_gate_keeps_further_in(rig, rig_file):
    scenario = configs_dir() / "scenarios" / "heave.toml"
    margins = []
    for counts in (0, 2**31 - 370_000):
        legs = tuple(LegReference(who, (point(counts, 0.64),)) for who in WHO)
        save_reference(rig, Reference(rig_digest(rig), legs))
        plan = load_plan(
            scenario, [f'rig="{rig_file}"', 'devices.drives="slcan:/dev/null"', 'clock="real"']
        )
        margins.append(plan.rig.limits.soft_margin_m)
    assert margins[1] == pytest.approx(margins[0] + OUTSIDE_SOFT_M)


def test_a_count_that_says_no_place_or_has_no_32_bits_is_refused_when_it_is_taken(rig):
    fine = rig.drives.model_copy(update={"counts_per_m": (3e9,) * 6})
    with pytest.raises(NotReferencedError, match=r"leg 1: its stroke of .* no count of 32 bits"):
        add_point(rig.model_copy(update={"drives": fine}), LegReference(WHO[0]), 1, point(0, 0.7))
    legs = (LegReference(WHO[0], (point(2**31, 0.7),)),) * 6
    save_reference(rig, Reference(rig_digest(rig), legs))
    with pytest.raises(NotReferencedError, match="more than 32 bits"):
        load_reference(rig)


def test_a_place_that_contradicts_the_one_before_is_refused_until_that_is_forgotten(
    rig, monkeypatch
):
    """A coupling has slipped by 50 mm while the power was off; the drive tells the same count."""
    from hil.stations.platform.commissioning import reference_tools

    measured(rig)
    report = BankReport("rods", "rods:", False, ("",) * 6, WHO, counts=COUNTS)
    monkeypatch.setattr(reference_tools, "_looked_at", lambda _: (report, BankEnd()))
    plan = SimpleNamespace(rig=rig)
    at = ",".join(["0.72"] * 6)
    with pytest.raises(RefusedError, match=r"before \(0\.6700 m, inner stop\).*--anew"):
        reference_tools.measure_and_show(plan, at, "B. Person", None, as_json=True)
    assert load_reference(rig).legs[2].points[-1].length_m == 0.67, "nothing is kept"
    reference_tools.measure_and_show(plan, at, "B. Person", None, as_json=True, anew=True)
    for leg in load_reference(rig).legs:
        assert [point.length_m for point in leg.points] == [0.72]
    assert known_place(rig).length_m == pytest.approx((0.72,) * 6)


@pytest.mark.parametrize("powered", [(), ("leg 4 (node 4): it is operation enabled",)])
def test_the_verb_that_measures_ends_as_it_left_the_drives(rig, monkeypatch, capsys, powered):
    """Its last line and its exit status; what was measured is kept."""
    from hil.stations.platform.commissioning import reference_tools

    report = BankReport("rods", "rods:", False, ("",) * 6, WHO, counts=COUNTS)
    end = BankEnd(powered=powered)
    monkeypatch.setattr(reference_tools, "_looked_at", lambda _: (report, end))
    plan, at = SimpleNamespace(rig=rig), ",".join(["0.67"] * 6)
    for as_json in (False, True):
        well = reference_tools.measure_and_show(plan, at, "B. Person", None, as_json=as_json)
        assert well is not bool(powered)
        last = capsys.readouterr().out.strip().splitlines()[-1]
        if as_json:
            told = json.loads(last)
            assert (told["ok"], told["powered"]) == (well, list(powered))
        elif powered:
            assert last == f"NOT PROVED TO BE OFF, take its power: {powered[0]}"
        else:
            assert last.startswith("kept in ")
    assert known_place(rig).length_m == pytest.approx((0.67,) * 6)


@pytest.mark.parametrize(
    ("told_m", "measured_m"), [(0.01, 0.01), (0.05, float("nan")), (0.05, 0.0)]
)
def test_a_way_that_is_too_short_or_no_number_proves_nothing(told_m, measured_m):
    with pytest.raises(NotReferencedError, match="proves no scale"):
        prove_scale(2, told_m, measured_m, "with a ruler", "A. Person", "now")


@pytest.mark.real_time
@needs_wires
def test_a_rig_with_absolute_encoders_runs_after_it_was_measured(rig_file, tmp_path):
    rig = load_rig(rig_file)
    lengths = ",".join(["0.67"] * 6)
    with rack("--rig", str(rig_file)) as drives:
        where = ["--drives", drives.url, "--rate", "100"]
        out = ["--out", tmp_path / "runs"]
        refused = shown("drives", "home", rig_file, *where, *out, status=1).stderr
        assert "nobody has measured its legs" in refused
        answer = told("drives", "reference", rig_file, "--at", lengths, "--by", "A. Person", *where)
        assert [leg["points"][0]["by"] for leg in answer["legs"]] == ["A. Person"] * 6
        jog = ["drives", "jog", rig_file, "--leg", "2", "--by", "0.005", "--hold", "0"]
        ran = told_well(*jog, *where, *out)
        assert ran["outcome"] == "completed"
    left_m = json.loads(place_path(rig).read_text())["length_m"]
    assert left_m == pytest.approx([0.67] * 6, abs=2e-4), "written by the gate's process"
    with rack("--rig", str(rig_file), "--seed", "9") as other:  # rods that stand elsewhere
        where = ["--drives", other.url, "--rate", "100"]
        refused = shown(*jog, *where, *out, status=1).stderr
    assert "nothing has moved" in refused
    assert "from where the last run left it" in refused
    assert "hil drives reference" in refused
