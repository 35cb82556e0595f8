"""Measured speeds are in docs/performance.md, which is made of results, and in no other document.

A sentence or a row of a table is a claim if it has a figure of speed and a word of measurement.
README.md may have a figure that the page has, word by word; what is no figure of ours is allowed
below, with its reason.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README, PAGE = ROOT / "README.md", ROOT / "docs" / "performance.md"
DOCUMENTS = sorted({README, ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md")} - {PAGE})
FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
NUMBER = r"\d+(?:[.,]\d+)?(?:e-?\d+)?"
FACTOR = re.compile(
    rf"""{NUMBER}\ ?(?:
        [kMG]B/s | (?:%\ )?of\ (?:a|one)\ (?:core|processor)
      | [×x]\ (?:as|faster|real\ time)
      | times\ (?:real\ time|faster|quicker|as\ (?:fast|quick|long|slow))
      | (?:million\ )?(?:M?poses|pictures|rows|ticks|steps)(?:/s|\ (?:a|per)\ second)
    )(?![\w/])""",
    re.VERBOSE,
)
"""A claim whatever is around it."""
SHORT = re.compile(rf"{NUMBER}\ ?(?:ns|µs|us|ms|(?:micro|milli)seconds?)(?![\w/])")
LONG = re.compile(rf"{NUMBER}\ ?(?:s|seconds?)(?![\w/])")
COLUMN = re.compile(r"\[(?:ns|µs|us|ms|s)\]|\b(?:rtf|processor time)\b")
"""Heading of figures without a unit."""
TAKEN = re.compile(r"\b(?:takes?|took|needs|costs?|measured)\b")
MEASURED = re.compile(
    r"\b(?:medians?|p50|p99|percentiles?|processor time|elapsed|cores?|virtual machine"
    r"|(?:quiet|busy|loaded|idle) (?:machine|minutes?)|machine that took|benchmarks?)\b|\b99 %"
)
ALLOWED = {
    "2400 steps are 30 ms: one takes at most": "a limit of the work, in steps",
    "`SYNC to TPDO` with p99 below 2 ms": "what the reader's own drives must show",
    "needs requests that are heard within 8 ms": "a limit",
    "the port took no more within 100 ms": "a limit",
    "without a plan's delay of up to 0.1 s": "two periods of the planner",
    "| 86 ms | the answer is complete": "time of the bytes on the line",
    "takes about 23 ms at 115200 Bd": "time of the bytes on the line",
    "A write takes at most 5 ms": "a limit",
    "it must answer within 2 ms": "a limit",
    "threads take turns every 0.5 ms": "a setting",
    "at most one each 4 ms": "a limit",
    "at most 0.03 mm at 5000 times real time": "a goal",
    "a film when the run is over, 25 pictures a second": "a setting",
}
"""Words of a claim → why it is no measured speed."""


def claims(text):
    """Measured speeds of a document, each with its sentence or row."""
    found, before = [], ""
    for block in re.split(r"\n\s*\n", FENCE.sub("\n", text)):
        rows = [line for line in block.splitlines() if line.lstrip().startswith("|")]
        whole = " ".join(block.split())
        if len(rows) > 2:
            found += [one for row in rows[2:] for one in _claims(row, rows[0], before)]
        else:
            sentences = re.split(r"(?<=[.;])\s+(?=[A-Z`*(\[-])", whole)
            found += [one for sentence in sentences for one in _claims(sentence)]
        before = whole
    return found


def _claims(words, heading="", before=""):
    around = f"{before} {heading} {words}"
    speed = FACTOR.search(words)
    if speed is None and (TAKEN.search(around) or MEASURED.search(around)):
        speed = SHORT.search(words)
    if speed is None and MEASURED.search(around):
        speed = LONG.search(words) or (COLUMN.search(heading) and re.search(NUMBER, words))
    return [(speed[0], words)] if speed else []


@pytest.mark.parametrize("path", DOCUMENTS, ids=[str(one.relative_to(ROOT)) for one in DOCUMENTS])
def test_measured_speeds_are_on_the_page_of_performance(path):
    found = [
        f"{speed}: {words}"
        for speed, words in claims(path.read_text("utf-8"))
        if not any(allowed in words for allowed in ALLOWED)
    ]
    if path == README:
        page = PAGE.read_text("utf-8")
        found = [one for one in found if one.partition(":")[0] not in page]
    assert found == [], f"say it by a link to {PAGE.name}, which benchmarks/publish.py writes"


def test_what_is_allowed_is_still_there():
    sentences = [words for path in DOCUMENTS for _, words in claims(path.read_text("utf-8"))]
    assert [one for one in ALLOWED if not any(one in words for words in sentences)] == []


PLANTED = {
    "A cycle takes 73 µs on this machine.": "73 µs",
    "The gate needs\n22 % of a core.": "22 % of a core",
    "It is 13 times real time.": "13 times real time",
    "It finds 0.92 million poses a second.": "0.92 million poses a second",
    "That is 3.0 × as fast as `mcap`.": "3.0 × as",
    "It is read 2.5 times as fast.": "2.5 times as fast",
    "Reading took 1.1 s on a busy machine.": "1.1 s",
    "Round trips, median: 0.44 ms.": "0.44 ms",
    "A table.\n\n| what | p50 / p99 |\n|---|---|\n| a call | 19 / 55 µs |": "55 µs",
    "`python -m benchmarks a`:\n\n| what | figure |\n|---|---|\n| read | 3.4 s |": "3.4 s",
    "| what | processor time [s] |\n|---|---|\n| a recording | 1.5 |": "1.5",
    "- A row takes 5.4 us.\n- Another thing.": "5.4 us",
}
"""Text → the claim in it."""


@pytest.mark.parametrize("text", PLANTED)
def test_a_planted_figure_is_seen(text):
    assert [speed for speed, _ in claims(f"# Title\n\n{text}\n")] == [PLANTED[text]]


@pytest.mark.parametrize(
    "text",
    [
        "The cycle is 2 ms.",
        "Without a packet for 100 ms it fades out in 0.3 s.",
        "Homing takes about 7 s in every run.",
        "```\na step takes 5 µs\n```",
    ],
)
def test_a_setting_is_no_figure(text):
    assert claims(text) == []
