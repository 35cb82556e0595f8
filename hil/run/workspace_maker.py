"""What a station computes of the workspace of one of its machines, in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hil.config.file_kind import FileKind

if TYPE_CHECKING:
    from hil.run.workspace import WorkspaceMap, WorkspaceProof

ReportShare = Callable[[float], None]
"""Function that takes the share that is done, 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceMaker:
    """Functions that map a machine's workspace and prove its pose box.

    All take the table and the path of the machine's file, which need not exist yet, and raise
    `ConfigError` or `RefusedError`.
    """

    kind: FileKind
    """Kind of the machine's files."""
    quantities: Callable[[], tuple[str, ...]]
    """Names of the quantities that a map shows of any machine."""
    map: Callable[[Mapping[str, Any], Path, str, int, ReportShare], WorkspaceMap]
    """Map of a quantity, with a number of cells along each coordinate."""
    prove: Callable[[Mapping[str, Any], Path, float], WorkspaceProof]
    """Proof of the pose box, within a time [s]."""
