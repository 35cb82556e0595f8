"""CPU seconds of each test file: where the suite's time goes, also under pytest-xdist.

``--cpu-per-file N`` names the N dearest files at the end. What a process of the tests has used,
user and system, with the children that it waited for, is charged to the test that just ended, and
so are the attempts of a test that was made again. Collecting, imports of the tests, the schedule of
the workers and children that outlive their test are told apart from the files.
"""

import os
from collections import Counter

import pytest

OPTION = "--cpu-per-file"
USED_S = "cpu_s"


def cpu_s() -> float:
    """CPU time of this process and of its children that ended, user and system [s]."""
    return sum(os.times()[:4])


class CpuPerFile:
    """Plugin: charges each report with the CPU since the one before, and adds them up by file.

    Args:
        dearest: So many files are named.
    """

    def __init__(self, dearest: int) -> None:
        self._dearest = dearest
        self._last_s = 0.0
        self._of_file_s: Counter[str] = Counter()

    def pytest_collection_finish(self) -> None:
        """What was used until now belongs to no test."""
        self._last_s = cpu_s()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Charge it where the test was run; add it up there and where all reports arrive."""
        if not hasattr(report, USED_S):
            now_s = cpu_s()
            setattr(report, USED_S, now_s - self._last_s)
            self._last_s = now_s
        self._of_file_s[report.nodeid.split("::")[0]] += getattr(report, USED_S)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Name the dearest files, and what is no file's."""
        files_s = self._of_file_s.total()
        whole_s = cpu_s()  # workers have ended by now
        terminalreporter.section("CPU seconds per file")
        for name, used_s in self._of_file_s.most_common(self._dearest):
            terminalreporter.write_line(f"{used_s:8.2f}  {name}")
        terminalreporter.write_line(
            f"{whole_s:8.2f}  in all: {files_s:.2f} in {len(self._of_file_s)} files, "
            f"{whole_s - files_s:.2f} beside them"
        )


def pytest_addoption(parser: pytest.Parser) -> None:
    """Off unless asked for."""
    group = parser.getgroup("cpu", "CPU time of test files")
    group.addoption(OPTION, metavar="N", type=int, help="Name the N files that used most CPU.")


def pytest_configure(config: pytest.Config) -> None:
    """Workers are asked as well: options travel to them."""
    dearest = config.getoption(OPTION)
    if dearest is not None:
        config.pluginmanager.register(CpuPerFile(dearest), "cpu-per-file")
