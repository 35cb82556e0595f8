"""The page: self-contained, complete, harmless, repeatable, and there for every recording."""

import dataclasses
import re
from base64 import b64decode
from pathlib import Path

import pytest
from html_samples import parsed
from report_samples import (
    GOOD,
    TRIP_TEXT,
    TRIPPED,
    demo_plan,
    start_of,
    violation,
    with_columns,
    with_modes,
    write_run,
)

import hil.report.page
from hil.recording.events import EventKind, EventRecord, Level
from hil.recording.header import RecordingError
from hil.recording.reader import Recording
from hil.report.page import MOST_ROWS, SHOWN_ROWS, write_report

# Two pages are drawn once and looked at by many tests, all of them in one worker.
pytestmark = pytest.mark.xdist_group("pages")

ALL_PICTURES = ["strokes", "speeds", "tracking", "pose", "rig", "timeline"]


@pytest.fixture
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """For what is about texts only: drawing is most of a page's time."""
    monkeypatch.setattr(hil.report.page, "made", lambda section, run: None)
    monkeypatch.setattr(hil.report.page, "timeline", lambda run: None)


def test_the_page_needs_nothing_but_itself(tripped_page: Path) -> None:
    elements = parsed(tripped_page)
    assert {tag for tag, _ in elements.tags}.isdisjoint({"script", "link", "iframe", "object"})
    assert elements.attributes("href") == []
    assert all(source.startswith("data:image/png;base64,") for source in elements.attributes("src"))
    text = re.sub(r'src="data:[^"]*"', "", tripped_page.read_text(encoding="utf-8"))
    assert not re.search(r"https?:|url\(|@import|//", text)
    assert "@page { size: A4" in text
    assert "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\"" in text


def test_pictures_in_the_page_are_those_beside_it(tripped_page: Path) -> None:
    sources = parsed(tripped_page).attributes("src")
    inside = {b64decode(source.partition(",")[2]) for source in sources}
    beside = {path.read_bytes() for path in (tripped_page.parent / "pictures").glob("*.png")}
    assert inside == beside
    assert len(inside) == len(ALL_PICTURES) + 1  # and the stop


def test_a_good_run_has_every_section_in_order(good_page: Path) -> None:
    elements = parsed(good_page)
    expected = ["objections", "strokes", "speeds", "tracking", "pose", "rig"]
    expected += ["timeline", "events", "settings"]
    assert elements.attributes("id") == expected
    for word in (
        "COMPLETED: demo on paper",
        "SIMULATED paper (sim:)",
        "virtual clock, 500 Hz",
        "Nothing.",
    ):
        assert word in elements.text
    assert "virtual clock: no lateness" in elements.text
    assert "Before you read on" not in elements.text


def test_a_trip_is_told_first_and_drawn_first(tripped_page: Path) -> None:
    elements = parsed(tripped_page)
    assert f"TRIPPED: demo on paper\nAt 0.966 s: {TRIP_TEXT}" in elements.text
    assert elements.attributes("id")[:2] == ["objections", "stop"]
    assert ("header", {"class": "tripped"}) in elements.tags


def test_each_violation_is_a_row_with_check_place_value_limit_unit(tripped_page: Path) -> None:
    text = tripped_page.read_text(encoding="utf-8")
    row = text[text.index('<td class="number">0.966</td>') :].partition("</tr>")[0]
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", row)
    assert cells == ["0.966", "483", "gate", "braking", "leg 3", "1.42", "1.37", "m", TRIP_TEXT]


def test_the_facts_of_the_run_are_there(good_page: Path, good_run: Recording) -> None:
    text = parsed(good_page).text
    assert "11aa22bb" in text
    assert "numpy 2.0" in text
    assert good_run.sha256 in text
    assert '"base_radius_m": 1.0' in text
    assert '"kind": "multi_sine"' in text


@pytest.mark.usefixtures("no_pictures")
def test_both_ends_of_a_range_are_shown(tmp_path) -> None:
    event = violation(100, "leg 3: outside")
    event = dataclasses.replace(event, data=dict(event.data) | {"low": 0.65})
    page = write_report(write_run(tmp_path / "a.mcap", events=(event,)), tmp_path)
    assert "0.65 … 1.37" in parsed(page).text


@pytest.mark.usefixtures("coarse")
def test_the_same_recording_gives_the_same_bytes(tripped_run: Recording, tripped_page, tmp_path):
    again = write_report(Recording.open(tripped_run.path), tmp_path / "deep" / "folder")
    assert again.read_bytes() == tripped_page.read_bytes()
    for path in (tripped_page.parent / "pictures").glob("*.png"):
        assert (again.parent / "pictures" / path.name).read_bytes() == path.read_bytes()


HOSTILE = (
    "\x1b[2J\u202e<script>alert(1)</script>\"'><img src=http://evil.example/x onerror=alert(2)>&lt;"
)


@pytest.mark.usefixtures("unpainted")
def test_hostile_texts_stay_texts(tmp_path) -> None:
    plan = demo_plan()
    scenario = plan.scenario.model_copy(update={"description": HOSTILE})
    plan = plan.model_copy(update={"scenario": scenario, "rig_file": HOSTILE})
    data = {"check": HOSTILE, "leg": HOSTILE, "value": HOSTILE, "limit": 1, "unit": HOSTILE}
    bad = EventRecord(0.1, 50, EventKind.VIOLATION, Level.ERROR, HOSTILE, HOSTILE, data)
    run = write_run(
        tmp_path / "a.mcap", plan=plan, events=(bad,), versions=HOSTILE, **{HOSTILE: HOSTILE}
    )
    run = with_modes(run, *run.modes[:5], HOSTILE, *run.modes[6:])
    elements = parsed(write_report(run, tmp_path))
    assert "script" not in {tag for tag, _ in elements.tags}
    assert all(source.startswith("data:") for source in elements.attributes("src"))
    assert elements.attributes("onerror") == []
    assert elements.text.count(HOSTILE.replace("\x1b", "\\x1b").replace("\u202e", "\\u202e")) >= 8


@pytest.mark.usefixtures("unpainted")
def test_date_host_and_revision_stand_at_the_top(tmp_path) -> None:
    facts = {"started_utc": "2026-11-23T14:13:34.123456Z", "host": "lab-3"}
    run = write_run(tmp_path / "a.mcap", **facts, revision=f"git {'0123456789' * 4}")
    top = parsed(write_report(run, tmp_path)).text.partition("Key figures")[0]
    assert "2026-11-23 14:13:34 UTC, on lab-3, git 012345678901\n" in top


@pytest.mark.usefixtures("coarse")
def test_a_description_in_formula_marks_is_not_set_as_a_formula(tmp_path) -> None:
    run = write_run(tmp_path / "a.mcap")
    odd = with_modes(run, *[f"$\\frac{{{name}$" for name in run.modes])
    assert write_report(odd, tmp_path).exists()


@pytest.mark.usefixtures("no_pictures")
def test_a_completed_run_beyond_a_limit_says_so_at_the_top(good_run: Recording, tmp_path) -> None:
    lengths = good_run.column("measured_length_m") * 1e300
    text = parsed(write_report(with_columns(good_run, measured_length_m=lengths), tmp_path)).text
    top = text.partition("Key figures")[0]
    assert "COMPLETED" in top
    assert "not as it should be: longest leg, following window used" in top
    assert "e+300 m" in text


@pytest.mark.usefixtures("no_pictures")
def test_long_lists_are_shortened_with_a_word(tmp_path) -> None:
    events = tuple(violation(100 + k, f"objection {k}") for k in range(MOST_ROWS + 7))
    text = parsed(write_report(write_run(tmp_path / "a.mcap", events=events), tmp_path)).text
    assert "7 more are in the recording." in text
    assert f"{MOST_ROWS - SHOWN_ROWS} more" in text
    assert f"objection {MOST_ROWS - 1}" in text
    assert f"objection {MOST_ROWS + 1}" not in text


@pytest.mark.usefixtures("no_pictures")
def test_a_refused_request_is_listed_and_not_marked_as_grave(tmp_path) -> None:
    event = violation(50, "request: ENGAGE refused", check="request")
    text = write_report(write_run(tmp_path / "a.mcap", events=(event,)), tmp_path).read_text(
        "utf-8"
    )
    assert text.count("request: ENGAGE refused") == 2
    assert 'class="bad"' not in text


@pytest.mark.usefixtures("no_pictures")
def test_a_place_that_cannot_be_written_is_said(good_run: Recording, tmp_path) -> None:
    place = tmp_path / "file"
    place.write_text("")
    with pytest.raises(RecordingError, match=r"file/report\.html: cannot be written: "):
        write_report(good_run, place)


@pytest.mark.usefixtures("no_pictures")
def test_pictures_are_not_written_through_a_link(good_run: Recording, tmp_path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "pictures").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RecordingError, match="is a link, and nothing is written through links"):
        write_report(good_run, tmp_path / "run")
    assert not list((tmp_path / "elsewhere").iterdir())
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["pictures"]


def test_the_course_of_the_samples_is_what_the_tests_think(good_run, tripped_run) -> None:
    assert good_run.cycles == sum(count for _, count in GOOD) == 545
    assert start_of(TRIPPED, "CSTOP") == 483
    assert tripped_run.cycles == 553
