"""Blocks whose elements depend on each other: outputs and next states."""

import math

from numba import njit

from hil.diagram.kernel.arms import (
    arm_poses,
    descend,
    next_angles,
    solve_damped,
    write_jacobian,
    write_lengths,
)
from hil.diagram.kernel.codes import FAST, WHOLES_FIRST, Array, Places
from hil.diagram.kernel.navigation import (
    find_free,
    find_nearest,
    free_length,
    remember_points,
)
from hil.diagram.kernel.pointers import call_at
from hil.diagram.kernel.rotations import (
    ROTATIONFROMQUATERNION,
    TRANSPOSE,
    turn_forms,
    write_rotation,
)

# Kinds in capitals.
(
    SHIFTREGISTER, TRANSFERFUNCTION, STATESPACE, MUX, DEMUX, SELECT, MATRIXGAIN, DOT, CROSS, NORM,
    SUMELEMENTS, MATRIXPRODUCT, ROTATE, ROTATEBACK, ROTATIONABOUT, FORCETRANSFORM, STATEMACHINE,
    FORWARDKINEMATICS, JACOBIAN, DAMPEDLEASTSQUARES, COORDINATEDESCENT, HEXAPODLENGTHS, POSE,
    POSEPARTS, WRENCH, WRENCHPARTS, BEAMMEMORY, FREEDIRECTION, FREELENGTH,
    NEARESTPOINT, RESTART, PYTHONBLOCK,
    *_,
) = range(WHOLES_FIRST, WHOLES_FIRST + 100)  # fmt: skip


@njit(**FAST)
def compute_whole(code: int, part: int, v: Array, x: Places, q: int, o: int, s: int, p: int,
           size: int) -> None:  # fmt: skip
    """Compute the outputs of a block whose elements depend on each other."""
    if code == SHIFTREGISTER:
        for n in range(size):
            v[o + n] = v[s + n]
    elif code == TRANSFERFUNCTION or code == STATESPACE:
        write_linear(part, v, x, q, o, s, p)
    elif code == MUX:
        for n in range(size):
            v[o + n] = v[x[q + n]]
    elif code == DEMUX or code == POSEPARTS or code == WRENCHPARTS:
        for n in range(size):
            v[o + n] = v[x[q] + n]
    elif code == POSE or code == WRENCH:
        first = size - 3
        for n in range(size):
            v[o + n] = v[x[q] + n] if n < first else v[x[q + 1] + n - first]
    elif code == SELECT:
        v[o] = v[x[q] + int(v[p + 1]) - 1]
    elif code >= MATRIXGAIN and code <= ROTATEBACK:
        write_product(code, v, x, q, o, p, size)
    elif code == ROTATIONABOUT:
        write_rotation(v, o, int(v[p]), math.cos(v[x[q]]), math.sin(v[x[q]]))
    elif code == FORCETRANSFORM:
        write_forces(v, x, q, o, size)
    elif code == STATEMACHINE:
        write_state(v, x, q, o, s, p)
    elif code >= TRANSPOSE and code <= ROTATIONFROMQUATERNION:
        turn_forms(code, v, x[q], o)
    elif code == FORWARDKINEMATICS:
        f = arm_poses(v, p, x[q])
        for n in range(12):
            v[o + n] = v[f + n]
    elif code == JACOBIAN:
        write_jacobian(v, p, x[q], o)
    elif code == DAMPEDLEASTSQUARES:
        solve_damped(v, x, q, o, p)
    elif code == COORDINATEDESCENT:
        descend(v, x, q, o, s, p)
    elif code == HEXAPODLENGTHS:
        write_lengths(v, x[q] + 9, x[q], o, p, size)
    elif code == BEAMMEMORY:
        for n in range(size):
            v[o + n] = v[s + n]
    elif code == FREEDIRECTION:
        find_free(v, x, q, o, p)
    elif code == FREELENGTH:
        v[o] = free_length(v, x[q], p, x[q + 1], v[x[q + 2]], v[x[q + 3]])
    elif code == NEARESTPOINT:
        find_nearest(v, x, q, o, p)
    elif code == PYTHONBLOCK:
        call_python(0, v, x, q, o, s, p)
    elif code == RESTART and v[x[q]] != 0.0 and v[s] == 0.0:
        first = int(v[p])
        for n in range(int(v[p + 1])):
            v[first + n] = v[p + 2 + n]


@njit(**FAST)
def write_linear(part: int, v: Array, x: Places, q: int, o: int, s: int, p: int) -> None:
    """Outputs of a transfer function or of a state space: all, or that of a part."""
    n, m, count = int(v[p]), int(v[p + 1]), int(v[p + 2])
    c = p + 3 + n * n + n * m
    d = c + count * n
    for j in range(count):
        if part < 0 or part == j:
            total = 0.0
            for k in range(n):
                total = total + v[c + j * n + k] * v[s + k]
            for k in range(m):
                if v[d + j * m + k] != 0.0:
                    total = total + v[d + j * m + k] * v[x[q + k]]
            v[o + j] = total


@njit(**FAST)
def write_product(code: int, v: Array, x: Places, q: int, o: int, p: int, size: int) -> None:
    """Products and sums of vectors and matrices."""
    if code == MATRIXGAIN:
        columns = int(v[p])
        for j in range(size):
            total = 0.0
            for k in range(columns):
                total = total + v[p + 1 + j * columns + k] * v[x[q] + k]
            v[o + j] = total
    elif code == DOT or code == NORM:
        total = 0.0
        other = x[q + 1] if code == DOT else x[q]
        for n in range(size):
            total = total + v[x[q] + n] * v[other + n]
        v[o] = total if code == DOT else math.sqrt(total)
    elif code == SUMELEMENTS:
        total = 0.0
        for n in range(size):
            total = total + v[x[q] + n]
        v[o] = total
    elif code == CROSS:
        a, b = x[q], x[q + 1]
        v[o] = v[a + 1] * v[b + 2] - v[a + 2] * v[b + 1]
        v[o + 1] = v[a + 2] * v[b] - v[a] * v[b + 2]
        v[o + 2] = v[a] * v[b + 1] - v[a + 1] * v[b]
    elif code == MATRIXPRODUCT:
        a, b = x[q], x[q + 1]
        for j in range(3):
            for k in range(3):
                v[o + 3 * j + k] = (v[a + 3 * j] * v[b + k] + v[a + 3 * j + 1] * v[b + 3 + k]) + v[
                    a + 3 * j + 2
                ] * v[b + 6 + k]
    else:  # ROTATE, ROTATEBACK
        a, b = x[q], x[q + 1]
        row, column = (3, 1) if code == ROTATE else (1, 3)
        for j in range(3):
            v[o + j] = (v[a + row * j] * v[b] + v[a + row * j + column] * v[b + 1]) + v[
                a + row * j + 2 * column
            ] * v[b + 2]


@njit(**FAST)
def write_forces(v: Array, x: Places, q: int, o: int, size: int) -> None:
    """Torques of joints that bear a force and a torque at the gripper."""
    for j in range(size):
        rotation, position = x[q + 2] + 9 * j, x[q + 3] + 3 * j
        total = 0.0
        for k in range(3):
            arm = v[rotation + 3 * k + 1] * v[position] - v[rotation + 3 * k] * v[position + 1]
            total = total + v[x[q] + k] * arm
        for k in range(3):
            total = total + v[x[q + 1] + k] * v[rotation + 3 * k + 2]
        v[o + j] = total


@njit(**FAST)
def write_state(v: Array, x: Places, q: int, o: int, s: int, p: int) -> None:
    """Outputs of a state machine: those of its state, its number and its ticks."""
    taken, count = find_transition(v, x, q, s, p), int(v[p + 1])
    state = int(v[s] if taken < 0 else v[taken + 1])
    first = p + 2 + 3 * int(v[p]) + state * count
    for n in range(count):
        v[o + n] = v[first + n]
    v[o + count] = state + 1.0
    v[o + count + 1] = v[s + 1] if taken < 0 else 0.0


@njit(**FAST)
def call_python(which: int, v: Array, x: Places, q: int, o: int, s: int, p: int) -> None:
    """Call a block of another distribution; unwritten outputs are nan, and all if it fails.

    Numbers: inputs, size of each; outputs, states, parameters; period; parameters; input space.
    """
    ports = int(v[p])
    n = p + 1 + ports
    outputs, states, count = int(v[n]), int(v[n + 1]), int(v[n + 2])
    first = n + 4
    inputs, u = first + count, first + count
    for port in range(ports):
        for element in range(int(v[p + 1 + port])):
            v[u] = v[x[q + port] + element]
            u += 1
    address = x[q + ports + which]
    if address != 0:
        if which == 0:
            for element in range(outputs):
                v[o + element] = math.nan
        call_at(  # pyright: ignore[reportCallIssue]
            address, v, inputs, u - inputs, o, outputs, s, states, first, count, v[n + 3]
        )


@njit(**FAST)
def find_transition(v: Array, x: Places, q: int, s: int, p: int) -> int:
    """Return the place of the numbers of the transition that is taken; -1 if none is."""
    for n in range(int(v[p])):
        t = p + 2 + 3 * n
        if (v[t] < 0.0 or v[t] == v[s]) and v[x[q + int(v[t + 2])]] != 0.0:
            return t
    return -1


@njit(**FAST)
def advance_whole(code: int, v: Array, x: Places, q: int, o: int, s: int, p: int) -> None:
    """Compute the next states of a block whose elements depend on each other."""
    if code == SHIFTREGISTER:
        for n in range(int(v[p]) - 1, 0, -1):
            v[s + n] = v[s + n - 1]
        v[s] = v[x[q]]
    elif code == TRANSFERFUNCTION or code == STATESPACE:
        n, m = int(v[p]), int(v[p + 1])
        a = p + 3
        b = a + n * n
        for j in range(n):
            total = 0.0
            for k in range(n):
                total = total + v[a + j * n + k] * v[s + k]
            for k in range(m):
                total = total + v[b + j * m + k] * v[x[q + k]]
            v[s + n + j] = total
        for j in range(n):
            v[s + j] = v[s + n + j]
    elif code == STATEMACHINE:
        taken = find_transition(v, x, q, s, p)
        if taken >= 0:
            v[s] = v[taken + 1]
            v[s + 1] = 0.0
        v[s + 1] = v[s + 1] + 1.0
    elif code == COORDINATEDESCENT:
        first = next_angles(v, p)
        for n in range(int(v[p + 1])):
            v[s + n] = v[first + n]
    elif code == BEAMMEMORY:
        remember_points(v, x, q, s, p)
    elif code == PYTHONBLOCK:
        call_python(1, v, x, q, o, s, p)
    elif code == RESTART:
        v[s] = v[x[q]]
