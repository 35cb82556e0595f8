"""Nothing that is shipped, simulated or asked is left out of the comparison without a reason."""

from typing import get_args

import pytest
import typer.main
from frozen.cases import cases, kept_cases
from frozen.compare import OF_THE_MACHINE
from frozen.questions import NO_CASE, question_cases
from frozen.scenarios import (
    BEFORE,
    CHANGES,
    CHECK_ONLY,
    DEVICES,
    FAULTS,
    HOST_FAULTS,
    NOT_KEPT,
    SHIPPED,
    SHORTER,
    WORDS,
    host_fault_case,
    scenario_cases,
)
from frozen.trees import TOP

from drives.sim.faults import FaultKind
from hil.cli.main import app
from hil.run.shipped_files import shipped_files
from sim.hosts.faults import KINDS


def verbs(command, words=()):
    """All verbs of the program, each with whether it prints JSON."""
    inner = getattr(command, "commands", {})
    for name, below in inner.items():
        yield from verbs(below, (*words, name))
    if not inner:
        yield words, any("--json" in one.opts for one in command.params)


VERBS = dict(verbs(typer.main.get_command(app)))
ASKED = {words for case in cases() for words in (*case.before, case.arguments)}


def is_asked(verb):
    return any(words[: len(verb)] == verb for words in ASKED)


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_each_verb_has_a_case_or_a_reason(verb):
    assert is_asked(verb) != (" ".join(verb) in NO_CASE)


def test_reasons_are_of_verbs_that_there_are():
    assert {tuple(name.split()) for name in NO_CASE} <= VERBS.keys()
    assert all(NO_CASE.values())
    assert sum(VERBS.values()) > 50  # print JSON


def test_each_shipped_scenario_is_checked_and_run_or_has_a_reason():
    assert SHIPPED.keys() == {one.name for one in shipped_files("scenarios")}
    assert {*SHIPPED.values()} == {*DEVICES, "world", "task", "together"}
    for name in SHIPPED:
        verbs_of = {case.arguments[:2] for case in scenario_cases(name)}
        assert ("check", name) in verbs_of
        assert (("run", name) in verbs_of) != (name in CHECK_ONLY)


def test_what_is_said_of_scenarios_is_of_shipped_ones():
    for table in (SHORTER, CHANGES, WORDS, BEFORE, CHECK_ONLY):
        assert table.keys() <= SHIPPED.keys()
    assert NOT_KEPT.keys() <= {case.name for case in cases()}
    assert not NOT_KEPT.keys() & {case.name for case in kept_cases()}


def test_each_fault_is_simulated():
    assert FAULTS.keys() == {*get_args(FaultKind)}
    assert HOST_FAULTS.keys() == KINDS.keys()
    for kind, line in HOST_FAULTS.items():
        assert line.split()[0] == kind
        assert line in " ".join(host_fault_case(kind).arguments)


def test_all_shipped_robots_and_drives_are_asked_for():
    for folder, verb in (("world/robots", ("world", "show")), ("drives", ("drives", "check-type"))):
        names = {file.stem for file in (TOP / "configs" / folder).glob("*.toml")}
        assert {(*verb, name) for name in names} <= ASKED


def test_cases_have_names_of_their_own_and_keys_left_out_have_reasons():
    names = [case.name for case in cases()]
    assert len(names) == len({*names})
    assert all(OF_THE_MACHINE.values())
    assert all(case.files or case.records or VERBS[verb_of(case)] or case.arguments[0] == "schema"
               for case in question_cases())  # fmt: skip


def verb_of(case):
    return next(verb for verb in VERBS if case.arguments[: len(verb)] == verb)
