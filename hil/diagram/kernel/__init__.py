"""The compiled kernel: one function that runs the table of any diagram.

A row of the table is an element of a block, or a part of one, in the order of computation. All
numbers are in one array, ``v``: base period, inputs, ports, states, numbers of the equations. First
every row computes its outputs, then those that have states compute the next ones. Nothing is
allocated.

What is compiled is kept on disk as one function, and found again by a checksum of all these files.
Sums are loops, powers are products, and fast mathematics is off, so that the interpreter gives the
same bits.
"""

from hil.diagram.kernel.codes import CODES as CODES
from hil.diagram.kernel.codes import COLUMNS as COLUMNS
from hil.diagram.kernel.codes import ENABLEDOUTPUT as ENABLEDOUTPUT
from hil.diagram.kernel.codes import code_of as code_of
from hil.diagram.kernel.step import step as step
