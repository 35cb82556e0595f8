"""What is run in both trees: commands of the program, and what of their answers counts."""

from dataclasses import dataclass

SEEDS = (0, 1, 2)


@dataclass(frozen=True)
class Case:
    """One command, run in a folder of its own.

    In its words ``{top}`` is the folder of this project, ``{recording}`` the recording that a
    command before it made.

    Args:
        name: of the case, and of its folder.
        arguments: of `hil`, without `--json` and `--out`.
        records: whether it makes a recording, which is compared as CSV.
        before: commands before it in the same folder: of `hil`, or of a module behind `python`.
        files: what it writes there as text, compared line by line.
    """

    name: str
    arguments: tuple[str, ...]
    records: bool = False
    before: tuple[tuple[str, ...], ...] = ()
    files: tuple[str, ...] = ()


def cases(*, scenarios: tuple[str, ...] | None = None) -> list[Case]:
    """All cases of these scenarios; faults and questions where none are named."""
    from frozen.questions import question_cases
    from frozen.scenarios import SHIPPED, fault_cases, host_fault_cases, scenario_cases

    found = [case for name in scenarios or SHIPPED for case in scenario_cases(name)]
    if not scenarios:
        found += [*fault_cases(), *host_fault_cases(), *question_cases()]
    return found


def kept_cases() -> list[Case]:
    """Those that are kept in files: every scenario and fault with one seed, some questions."""
    from frozen.scenarios import NOT_KEPT

    found = [case for case in cases() if case.records and case.name.endswith(f"_{SEEDS[0]}")]
    found += [case for case in cases() if not case.records and _is_computed(case)]
    found = [case for case in found if case.name not in NOT_KEPT]
    return sorted(found, key=lambda case: _QUICK.index(case.name) if case.name in _QUICK else 99)


def _is_computed(case: Case) -> bool:
    return case.arguments[0] in ("check", "platform")


_QUICK = ("run_circle_on_rm01_0", "fault_disabled_0", "run_following_error_0")
"""These are run every day."""
