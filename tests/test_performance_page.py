"""docs/performance.md is made of benchmarks/results.json, and a benchmark that fails says why."""

import json
import re
import sys

import pytest

from benchmarks import publish
from benchmarks.__main__ import GIVEN, NAMES
from benchmarks.figures import FIGURES
from benchmarks.rows import Peer, Row, in_words, lines_of

RESULTS = json.loads(publish.RESULTS.read_text("utf-8"))
MACHINE = {"cpu": "A | B", "cores": 2, "kernel": "6", "python": "3", "build": "pure Python"}
FIGURES_OF_CYCLE = {
    "pure": {
        "cycle_us": 70.0, "cycle_p99_us": 1234.0, "speed_up": 21.26, "inverse_us": 3.5,
        "by_inverse": 20.0,
    }
}  # fmt: skip


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A place for results and page in which nothing is yet."""
    monkeypatch.setattr(publish, "RESULTS", tmp_path / "results.json")
    monkeypatch.setattr(publish, "PAGE", tmp_path / "performance.md")
    return tmp_path


def entry(**more):
    return {"machine": MACHINE, "date": "2026-01-02"} | more


def test_the_page_is_what_the_results_make():
    assert publish.PAGE.read_text("utf-8") == publish.page(NAMES, RESULTS)


def test_every_benchmark_has_rows_and_is_run():
    there = {one.stem.removeprefix("bench_") for one in publish.HERE.glob("bench_*.py")}
    assert set(NAMES) == set(FIGURES) == there
    assert set(GIVEN) | publish.WINDOWS <= there
    assert set(RESULTS) <= there


@pytest.mark.parametrize("name", NAMES)
def test_a_target_is_that_of_the_benchmark(name):
    """Each number of a target is in the benchmark's text, in its own unit or a smaller one."""
    text = (publish.HERE / f"bench_{name}.py").read_text("utf-8")
    there = {float(one) for one in re.findall(r"\d+(?:\.\d+)?", text.replace("_", ""))}
    for row in FIGURES[name]:
        target = row.target.replace("99 %", "").replace("500 Hz", "")
        for number in map(float, re.findall(r"\d+(?:\.\d+)?", target)):
            assert there & {number, number / 1e3, number * 1e3, number / 100.0}, (row.name, number)


@pytest.mark.parametrize("name", NAMES)
def test_a_row_is_made_of_what_its_paths_lead_to(name):
    for row in FIGURES[name]:
        figures = {}
        paths = [row.value, row.p99, row.ratio, *(at for one in row.peers for at in one[1:3])]
        for path in filter(None, paths):
            *steps, last = path.replace("*", "k").split(">")
            there = figures
            for step in steps:
                there = there.setdefault(step, {})
            there[last] = 2.0
        ((words, median, late, *_),) = lines_of(row, figures)
        assert "{" not in words
        assert (bool(median), bool(late)) == (bool(row.value), bool(row.p99)), row
        assert "not measured" not in median + late, row


@pytest.mark.parametrize("name", NAMES)
def test_every_row_has_its_figure(name):
    """A path that leads nowhere would be a row without a figure, or none at all."""
    for row in FIGURES[name] if "figures" in RESULTS.get(name, {}) else ():
        lines = list(lines_of(row, RESULTS[name]["figures"]))
        assert lines, row
        assert not any("no figure" in cell for line in lines for cell in line), row


def test_keys_are_there_once():
    page = publish.PAGE.read_text("utf-8")
    keys = re.findall(r" \| `([a-z0-9_.]+)` \|$", page, re.MULTILINE)
    assert len(keys) == len(set(keys))


def test_only_what_was_measured_takes_the_place_of_what_was_known(files):
    old = {"cycle": entry(figures=FIGURES_OF_CYCLE), "help": entry(reason="no time")}
    publish.write(NAMES, old)
    publish.write(NAMES, {"help": entry(figures={"help": 0.5, "typer": 0.25}, load=1.5)})
    page = publish.PAGE.read_text("utf-8")
    assert json.loads(publish.RESULTS.read_text("utf-8"))["cycle"] == old["cycle"]
    assert "| whole cycle, pure build | 70 µs | 1.23 ms | one inverse call: 3.5 µs |" in page
    assert "| `cycle.whole_cycle_pure_build` |" in page
    assert "| 21.3 × real time |" in page
    assert (
        "| 500 ms |  | import of typer: 250 ms; nothing: not measured (not installed) | 0.5 |"
        in page
    )
    assert "| A | A \\| B | 2 | 6 | 3 | pure Python |" in page
    assert "`python -m benchmarks --only help`: 2026-01-02, machine A, load 1.5." in page
    assert page.count("Not run: `python -m benchmarks --only ") == len(NAMES) - 2


def test_a_benchmark_without_figures_says_why(files):
    assert publish.outcome({"skipped": "no display"}) == {"reason": "no display"}
    publish.write(NAMES, {"fmu": entry(reason="FileNotFoundError: 'gcc'")})
    assert "\nNot measured: FileNotFoundError: 'gcc'.\n" in publish.PAGE.read_text("utf-8")


def test_a_program_that_fails_or_hangs_gives_a_reason(capsys):
    python = sys.executable
    assert publish.run_limited([python, "-c", "pass"], 60.0) == ""
    fails = [python, "-c", "raise OSError('no compiler')"]
    assert publish.run_limited(fails, 60.0) == "OSError: no compiler"
    assert publish.run_limited([python, "-c", "raise SystemExit(3)"], 60.0) == "ended with status 3"
    nested = f"import subprocess; subprocess.run({fails!r}, check=True)"
    assert publish.run_limited([python, "-c", nested], 60.0) == "OSError: no compiler"
    assert "no compiler" in capsys.readouterr().err
    assert publish.run_limited([python, "-c", "input()"], 0.0) == "not over within 0 s"


def test_results_of_a_run_of_all_are_taken(tmp_path):
    file = tmp_path / "latest.json"
    whole = {"machine": MACHINE, "date": "2026-01-02", "cycle": {"a": 1.23456789}, "turn": {}}
    file.write_text(json.dumps(whole), "utf-8")
    assert publish.imported(file, ["cycle"]) == {"cycle": entry(figures={"a": 1.23457})}
    del whole["date"]
    file.write_text(json.dumps(whole), "utf-8")
    with pytest.raises(SystemExit, match="does not say when"):
        publish.imported(file, ["cycle"])
    assert set(publish.imported(publish.RESULTS, NAMES)) == set(RESULTS)


def test_a_path_finds_all_that_it_stands_for():
    figures = {"cases": [{"case": "a", "p50_us": 2.0}, {"case": "b", "reason": "ended"}]}
    row = Row("trip, {case}", "us", "cases>*>p50_us", peers=(Peer("C", "c>*>us"),), target="≤ 3{x}")
    assert list(lines_of(row, figures)) == [
        ["trip, a", "2 µs", "", "C: not measured (not installed)", "", "≤ 3"],
        ["trip, b", "not measured: ended", "", "C: not measured (not installed)", "", "≤ 3"],
    ]
    (line,) = lines_of(Row("a", "us", "b", peers=(Peer("C", "c>us"),)), {"b": 1, "c": "no gcc: x"})
    assert line[3] == "C: no gcc"


def test_a_ratio_above_1_means_that_ours_is_faster():
    figures = {"ours": 2.0, "peer": 6.0}
    for unit, ratio in (("us", "3"), ("Mposes/s", "0.333")):
        (line,) = lines_of(Row("a", unit, "ours", peers=(Peer("b", "peer"),)), figures)
        assert line[4] == ratio


def test_a_time_has_the_unit_that_suits_it():
    assert in_words(1500.0, "ms") == "1.5 s"
    assert in_words(0.0021, "s") == "2.1 ms"
    assert in_words(0.4321, "us") == "0.432 µs"
    assert in_words(0.125, "% of a core") == "12.5 % of a core"
