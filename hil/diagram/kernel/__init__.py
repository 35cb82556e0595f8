"""The compiled kernel: one function that runs the table of any diagram.

A row of the table is an element of a block, or a part of one, in the order of computation. All
numbers are in one array, ``v``: base period, inputs, ports, states, numbers of the equations. First
every row computes its outputs, then those that have states compute the next ones. Nothing is
allocated.

What is compiled is kept on disk as one function, and found again by a checksum of all these files.
Sums are loops, powers are products, and fast mathematics is off, so that the interpreter gives the
same bits.
"""

from typing import Final

from hil.diagram.kernel import coupled_blocks as wholes
from hil.diagram.kernel import elements, rotations, stateful
from hil.diagram.kernel.codes import COLUMNS as COLUMNS
from hil.diagram.kernel.codes import WHOLES_FIRST as WHOLES_FIRST
from hil.diagram.kernel.step import step as step
from hil.diagram.library.kind import BlockKind

CODES: Final = {
    name: code
    for module in (elements, stateful, wholes, rotations)
    for name, code in vars(module).items()
    if name.isalnum() and name.isupper() and type(code) is int
}
"""Name of a kind in capitals → its code: what the files of the kernel list."""


def code_of(kind: BlockKind) -> int:
    """The code of a kind; raises `LookupError` if no file lists it."""
    if kind.functions is not None:
        return wholes.PYTHONBLOCK
    if kind.name.upper() not in CODES:
        raise LookupError(f"the kernel has no equation of {kind.name}")
    return CODES[kind.name.upper()]
