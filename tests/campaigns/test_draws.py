"""Numbers that a scenario's table `draw` draws: of the digest and the seed, and of nothing else."""

import hashlib
import json
import tomllib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from hil import service
from hil.config.errors import ConfigError
from hil.draw.numbers import drawn_values, scenario_digest
from hil.draw.table import laws_of
from hil.recording.reader import Recording
from hil.run.registry import station_named
from hil.run.station import Request

PLATFORM = """
name = "drawn"
rig = "paper"
rate_hz = 125
seed = 4

[motion]
kind = "multi_sine"
duration_s = 1.0
fade_s = 0.5
terms = [{ axis = "z", amplitude_m = 0.05, frequency_hz = 0.5 }]

[draw]
"motion.terms.0.amplitude_m" = { uniform = [0.02, 0.06] }
"rig.cylinders.moving_mass_kg" = { uniform = [40, 90] }
"""
DIGEST = hashlib.sha256(b"a scenario").hexdigest()
LAWS = {
    "a.mass_kg": {"uniform": [0, 40]},
    "b.count": {"uniform": [1, 6], "whole": True},
    "c.gain": {"normal": [1.0, 0.5], "bounds": [0.2, 1.4]},
    "d.mode": {"choice": [1, 2.5, 7]},
    "e.x_m": {"grid": [0, 1], "count": 5},
    "f.y_m": {"grid": [-1, 1], "count": 3},
    "g.z_m": {"latin": [10, 20], "count": 8},
    "h.w_m": {"latin": [0, 1], "count": 8},
}


def values(seed, table=LAWS, digest=DIGEST):
    return drawn_values(laws_of(table, "here"), digest, seed)


GOLDEN = {
    0: {
        "a.mass_kg": 17.9352896, "b.count": 4, "c.gain": 0.730299108, "d.mode": 1,
        "e.x_m": 0.0, "f.y_m": -1.0, "g.z_m": 12.0612037, "h.w_m": 0.848316351,
    },
    4_294_967_295: {
        "a.mass_kg": 29.2043863, "b.count": 5, "c.gain": 0.826129163, "d.mode": 2.5,
        "e.x_m": 0.0, "f.y_m": -1.0, "g.z_m": 19.5862026, "h.w_m": 0.931071218,
    },
}  # fmt: skip


@pytest.mark.parametrize("seed", GOLDEN)
def test_draws_are_these_numbers(seed):
    """A change of these is a change of every campaign that was ever run."""
    assert values(seed) == GOLDEN[seed]


def test_the_raw_numbers_are_philox_of_the_seed_sequence():
    """The same by numpy's own fraction, from the words that the documentation names."""
    words = [int(DIGEST[k : k + 8], 16) for k in range(0, 64, 8)]
    key = np.frombuffer(hashlib.sha256(b"a.mass_kg").digest(), ">u4").tolist()
    for seed in range(20):
        sequence = np.random.SeedSequence([*words, seed], spawn_key=key)
        fraction = np.random.Generator(np.random.Philox(sequence)).random()
        assert values(seed)["a.mass_kg"] == pytest.approx(40 * fraction, rel=1e-8)


@given(st.permutations(list(LAWS)), st.integers(0, 2**32 - 1))
def test_neither_order_nor_company_of_keys_matters(order, seed):
    table = {key: LAWS[key] for key in order}
    assert values(seed, table) == values(seed)
    alone = {"c.gain": LAWS["c.gain"]}
    assert values(seed, alone)["c.gain"] == values(seed)["c.gain"]


def test_another_scenario_or_seed_draws_others():
    other = hashlib.sha256(b"another").hexdigest()
    free = ("a.mass_kg", "c.gain")
    assert all(values(3)[key] != values(3, digest=other)[key] for key in free)
    assert len({values(seed)["a.mass_kg"] for seed in range(500)}) == 500


def test_laws_have_their_distributions():
    rows = [values(seed) for seed in range(3000)]
    column = {key: [row[key] for row in rows] for key in LAWS}
    assert stats.kstest(column["a.mass_kg"], stats.uniform(0, 40).cdf).pvalue > 1e-3
    cut = stats.truncnorm((0.2 - 1) / 0.5, (1.4 - 1) / 0.5, 1.0, 0.5)
    assert stats.kstest(column["c.gain"], cut.cdf).pvalue > 1e-3
    for key, faces in (("b.count", [1, 2, 3, 4, 5, 6]), ("d.mode", [1, 2.5, 7])):
        counts = [column[key].count(face) for face in faces]
        assert sum(counts) == 3000
        assert stats.chisquare(counts).pvalue > 1e-3
    assert all(type(value) is int for value in column["b.count"])
    pairs = np.corrcoef(column["a.mass_kg"], column["c.gain"])[0, 1]
    assert abs(pairs) < 0.06


def test_grids_take_every_combination_and_begin_again():
    rows = [values(seed) for seed in range(30)]
    pairs = [(row["e.x_m"], row["f.y_m"]) for row in rows]
    assert len(set(pairs[:15])) == 15
    assert pairs[:15] == pairs[15:]
    assert {x for x, _ in pairs} == {0.0, 0.25, 0.5, 0.75, 1.0}
    assert {y for _, y in pairs} == {-1.0, 0.0, 1.0}


def test_a_latin_hypercube_has_one_point_in_every_layer():
    rows = [values(seed) for seed in range(16)]
    for key, low, width in (("g.z_m", 10, 10), ("h.w_m", 0, 1)):
        layers = [int((row[key] - low) / width * 8) for row in rows[:8]]
        assert sorted(layers) == list(range(8))
    points = [(row["g.z_m"], row["h.w_m"]) for row in rows]
    assert points[:8] == points[8:]


@settings(max_examples=200)
@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6), st.integers(0, 2**32 - 1))
def test_values_are_within_their_bounds_and_as_a_table_shows_them(low, width, seed):
    table = {
        "u": {"uniform": [low, low + width]},
        "l": {"latin": [low, low + width], "count": 4},
        "n": {"normal": [low, width], "bounds": [low, low + width]},
    }
    for value in values(seed, table).values():
        assert low <= value <= low + width
        assert value in (low, low + width, float(f"{value:.9g}"))


def test_the_digest_is_of_what_the_table_says():
    table = tomllib.loads(PLATFORM)
    kept = {key: one for key, one in table.items() if key != "seed"}
    text = json.dumps(kept, sort_keys=True, separators=(",", ":"))
    assert scenario_digest(table) == hashlib.sha256(text.encode()).hexdigest()
    assert scenario_digest(dict(reversed([*table.items()]))) == scenario_digest(table)
    assert scenario_digest({**table, "seed": 9, "description": "x"}) == scenario_digest(table)
    assert scenario_digest({**table, "rate_hz": 126}) != scenario_digest(table)


@pytest.mark.parametrize(
    ("law", "words"),
    [
        ({"uniform": [2, 1]}, "the first must be the smaller"),
        ({"uniform": [0.5, 2], "whole": True}, "whole numbers"),
        ({"uniform": [0, 1], "bounds": [0, 1]}, "bounds"),
        ({"normal": [0, 1]}, "bounds"),
        ({"normal": [0, 0], "bounds": [-1, 1]}, "greater than 0"),
        ({"normal": [0, 1], "bounds": [7, 8]}, "standard deviations"),
        ({"choice": []}, "choice"),
        ({"choice": ["classic"]}, "choice"),
        ({"grid": [0, 1]}, "count"),
        ({"latin": [0, 1], "count": 0}, "count"),
        ({"unifrom": [0, 1]}, "did you mean uniform"),
        (7, "is needed"),
        ({"uniform": [0, float("nan")]}, "uniform"),
    ],
)
def test_a_law_that_cannot_be_read_is_one_error_with_its_key(law, words):
    with pytest.raises(ConfigError) as caught:
        laws_of({"payload.mass_kg": law}, "file.toml")
    assert 'file.toml: draw."payload.mass_kg"' in str(caught.value)
    assert words in str(caught.value)


def test_counts_of_latin_keys_must_agree():
    table = {"a": {"latin": [0, 1], "count": 4}, "b": {"latin": [0, 1], "count": 5}}
    with pytest.raises(ConfigError, match='"a" 4, "b" 5'):
        laws_of(table, "file.toml")


def test_keys_may_be_tables_in_tables():
    table = tomllib.loads("[draw.payload]\nmass_kg = { uniform = [0, 1] }")["draw"]
    assert list(laws_of(table, "here")) == ["payload.mass_kg"]


@pytest.fixture
def scenario(tmp_path):
    path = tmp_path / "drawn.toml"
    path.write_text(PLATFORM)
    return path


def run(path, folder, **request):
    asked = Request(scenario=path, options={}, folder=folder, as_json=True, **request)
    ran = service.run(station_named("platform", "here"), asked)
    ran.until_shown.close()
    return ran


def test_a_run_uses_what_is_drawn_and_says_so(scenario, tmp_path):
    ran = run(scenario, tmp_path / "runs", seed=7)
    table = tomllib.loads(PLATFORM)
    wanted = drawn_values(laws_of(table["draw"], "here"), scenario_digest(table), 7)
    assert ran.values["drawn"] == wanted
    assert ran.values["drawn_seed"] == 7

    recording = Recording.open(ran.end.recorder.path)
    assert json.loads(recording.header.metadata["drawn"]) == wanted
    assert recording.header.metadata["drawn_seed"] == "7"
    plan = recording.header.scenario
    amplitude = plan["scenario"]["motion"]["terms"][0]["amplitude_m"]
    assert amplitude == wanted["motion.terms.0.amplitude_m"]
    assert plan["scenario"]["seed"] == 7
    mass = plan["rig"]["cylinders"]["moving_mass_kg"]
    assert mass == [wanted["rig.cylinders.moving_mass_kg"]] * 6

    beside = tomllib.loads((ran.end.recorder.path.parent / "drawn-paper.toml").read_text())
    assert [beside["cylinders"]["moving_mass_kg"]] * 6 == mass
    rigs = [one for one in recording.files if one.kind == "rig"]
    text = (ran.end.recorder.path.parent / "drawn-paper.toml").read_bytes()
    assert [one.sha256 for one in rigs] == [hashlib.sha256(text).hexdigest()]


def test_the_scenarios_own_seed_draws_and_options_go_before(scenario, tmp_path):
    own = run(scenario, tmp_path / "a")
    given_4 = run(scenario, tmp_path / "b", seed=4)
    assert own.values["drawn"] == given_4.values["drawn"]
    assert own.end.recorder.sha256 == given_4.end.recorder.sha256
    fixed = run(scenario, tmp_path / "c", overrides=("motion.terms.0.amplitude_m=0.03",))
    assert list(fixed.values["drawn"]) == ["rig.cylinders.moving_mass_kg"]
    header = Recording.open(fixed.end.recorder.path).header.scenario
    assert header["scenario"]["motion"]["terms"][0]["amplitude_m"] == 0.03


def test_a_run_is_that_of_a_file_with_the_drawn_numbers(scenario, tmp_path):
    """The draw adds nothing: a scenario with these numbers written in gives the same rows."""
    ran = run(scenario, tmp_path / "runs", seed=2)
    plain = tmp_path / "plain.toml"
    amplitude = ran.values["drawn"]["motion.terms.0.amplitude_m"]
    text = PLATFORM.partition("[draw]")[0].replace("0.05,", f"{amplitude!r},")
    rig = ran.end.recorder.path.parent / "drawn-paper.toml"
    (tmp_path / "rig.toml").write_bytes(rig.read_bytes())
    plain.write_text(text.replace('"paper"', '"rig.toml"').replace("seed = 4", "seed = 2"))
    assert run(plain, tmp_path / "runs").end.recorder.sha256 == ran.end.recorder.sha256


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("motion.terms.1.amplitude_m", "(0 to 0)"),
        ("motion.terms.0.amplitude_mm", "did you mean amplitude_m"),
        ("rig.cylinders.moving_mass", "did you mean moving_mass_kg"),
        ("rig.cylinders", "is a table"),
        ("name", "only a number is drawn"),
        ("name.x", "names no document"),
        ("payload.mass_kg", "'payload' is not in"),
    ],
)
def test_a_key_that_leads_to_no_number_is_one_error_before_anything_runs(
    scenario, tmp_path, key, words
):
    scenario.write_text(PLATFORM.replace("motion.terms.0.amplitude_m", key))
    with pytest.raises(ConfigError) as caught:
        run(scenario, tmp_path / "runs")
    assert f'draw."{key}"' in str(caught.value)
    assert words in str(caught.value) or "no such file" in str(caught.value)
    assert not (tmp_path / "runs").exists()


def test_a_seed_needs_something_that_it_seeds(scenario, tmp_path):
    for seed in (-1, 2**32):
        with pytest.raises(ConfigError, match="0 to 4294967295"):
            run(scenario, tmp_path / "runs", seed=seed)


def test_a_check_tells_what_was_drawn(scenario):
    asked = Request(scenario=scenario, options={}, seed=3, as_json=True)
    checked = service.check(station_named("platform", "here"), asked)
    assert checked.values["drawn_seed"] == 3
    assert set(checked.values["drawn"]) == {
        "motion.terms.0.amplitude_m", "rig.cylinders.moving_mass_kg",
    }  # fmt: skip
