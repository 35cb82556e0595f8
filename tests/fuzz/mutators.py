"""Files made worse: what somebody who means harm, or a disk that fails, makes of a good one.

A mutation is a function of a corpus and a seed alone. Bytes are flipped, tokens are replaced by
what readers trip over, parts are doubled, numbered through, spliced from other files, put into
brackets without end.
"""

import random
import re
from collections.abc import Callable, Sequence
from typing import Final

MOST_BYTES: Final = 1 << 20
"""Size of an input at most; the promise of 5 s and 300 MB is for these."""
_TOKEN: Final = re.compile(rb'"[^"\n]*"|[+-]?\d[\d.]*(?:[eE][+-]?\d+)?|[A-Za-z_][\w-]*|[^\w\s]')
_NUMBER: Final = re.compile(rb"[+-]?\d[\d.]*(?:[eE][+-]?\d+)?")
_QUOTED: Final = re.compile(rb'"([^"\n]*)"')
NUMBERS: Final = (
    b"nan",
    b"inf",
    b"-inf",
    b"0",
    b"-1",
    b"1e308",
    b"-1e308",
    b"1e400",
    b"1e-320",
    b"1e-40",
    b"1e15",
    b"-0.0",
    b"9223372036854775807",
    b"9223372036854775808",
    b"4294967296",
    b"-2147483649",
    b"65536",
    b"0x" + b"f" * 5000,
    b"9" * 5000,
    b"0." + b"3" * 3000,
    b"1_000",
    b"1e5000",
    b"true",
    b"1000000",
    b"100000000",
)
"""In place of a number."""
WORDS: Final = (
    b"",
    b"../outside/bait",
    b"../../../../../../etc/passwd",
    b"/etc/hostname",
    b"/dev/zero",
    b"/proc/self/environ",
    b"~/.bashrc",
    b"file:///etc/hostname",
    b"bait",
    b".",
    b"..",
    b"/",
    b"C:\\x",
    b"a" * 5000,
    b"\xc3\xa9" * 300,
    b"\xf0\x9f\x98\x80",
    b"\xe2\x80\xae",
    b"\x00",
    b"\xff\xfe",
    b"\n",
    b"%s%n",
    b"{0.__class__}",
    b"\x1b[2J",
    b"$(id)",
    b"\\u0000",
    b"\xed\xa0\x80",
    b"nan",
    b"free",
    b"__import__('os')",
    b"base",
    b"9**9**9",
    b"-",
    b"a.b.c",
)
"""In place of a text."""
PATHS: Final = WORDS[1:12]
"""In place of a text in quotes."""
NESTS: Final = (
    (b"[", b"]"), (b"{a=", b"}"), (b"(", b")"), (b"a.", b"a"), (b'{"a":', b"}"), (b"<a>", b"</a>"),
    (b'"\\"".', b"a"), (b"-", b"1"), (b"not ", b"1"), (b"sin(", b")"), (b"[[", b"]]"),
    (b"2**", b"2"),
)  # fmt: skip
"""What is put around a token, many times."""
COUNTS: Final = (3, 30, 300, 3000, 30_000)

Mutator = Callable[[bytes, Sequence[bytes], random.Random], bytes]


def mutated(corpus: Sequence[bytes], seed: int) -> bytes:
    """Return one input: a file of the corpus, one to four times made worse."""
    rng = random.Random(seed)
    data = rng.choice(corpus)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        data = rng.choices(MUTATORS, WEIGHTS)[0](data, corpus, rng)[:MOST_BYTES]
    return data


def _span(data: bytes, rng: random.Random) -> tuple[int, int]:
    """Of a token, or of a few bytes where there is none."""
    for _ in range(8):
        at = rng.randrange(len(data) + 1)
        if found := _TOKEN.search(data, at, at + 6000):
            return found.span()
    at = rng.randrange(len(data) + 1)
    return at, min(len(data), at + rng.randrange(8))


def _replaced(data: bytes, span: tuple[int, int], new: bytes) -> bytes:
    return data[: span[0]] + new + data[span[1] :]


def _number(data: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    found = list(_NUMBER.finditer(data[:200_000]))
    return _replaced(data, rng.choice(found).span(), rng.choice(NUMBERS)) if found else data


def _word(data: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    at, end = _span(data, rng)
    new = rng.choice(WORDS)
    return _replaced(data, (at, end), b'"' + new + b'"' if data[at : at + 1] == b'"' else new)


def _path(data: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    """A text in quotes that leads elsewhere."""
    found = list(_QUOTED.finditer(data[:200_000]))
    return _replaced(data, rng.choice(found).span(1), rng.choice(PATHS)) if found else data


def _flip(data: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 4, 64))):
        if changed:
            changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def _remove(data: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + data[at + rng.choice((1, 8, 100, 10_000)) :]


def _remove_token(data: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    return _replaced(data, _span(data, rng), b"")


def _double(data: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    part = data[at : at + rng.choice((1, 8, 100, 10_000))]
    return data[:at] + part * min(rng.choice(COUNTS), MOST_BYTES // max(1, len(part))) + data[at:]


def _lines(data: bytes, rng: random.Random) -> tuple[int, int]:
    """Of a whole line, or of all to the next empty one."""
    at = data.rfind(b"\n", 0, rng.randrange(len(data) + 1)) + 1
    end = data.find(rng.choice((b"\n", b"\n", b"\n\n")), at)
    return at, len(data) if end < 0 else end + 1


def _many(data: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    """Lines many times over, with one of their words or numbers counting up."""
    at, end = _lines(data, rng)
    part = data[at:end]
    tokens = [one.span() for one in re.finditer(rb"\w+", part)]
    if not tokens:
        return data
    low, high = rng.choice(tokens)
    count = min(rng.choice(COUNTS), (MOST_BYTES - len(data)) // (len(part) + 5))
    keep = part[low:high].rstrip(b"0123456789")
    rows = (b"%s%s%d%s" % (part[:low], keep, 2 + k, part[high:]) for k in range(count))
    return data[:end] + b"".join(rows) + data[end:]


def _splice(data: bytes, corpus: Sequence[bytes], rng: random.Random) -> bytes:
    other = rng.choice(corpus)
    low, high = _lines(other, rng)
    at, end = _lines(data, rng)
    return data[:at] + other[low:high] + data[rng.choice((at, end)) :]


def _nest(data: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    at, end = _span(data, rng)
    before, behind = rng.choice(NESTS)
    count = rng.choice((*COUNTS, 200_000))
    token = data[at:end]
    if token[:1] == b'"' and rng.random() < 0.5:  # within the text
        return _replaced(data, (at + 1, end - 1), before * count + token[1:-1] + behind * count)
    return _replaced(data, (at, end), before * count + token + behind * count)


def _rough(data: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    match rng.randrange(6):
        case 0:
            return b"\xef\xbb\xbf" + data
        case 1:
            return data.replace(b"\n", b"\r\n")
        case 2:
            return data.decode("latin-1").encode("utf-16")
        case 3:
            return data[: rng.randrange(len(data) + 1)]
        case 4:
            return rng.randbytes(rng.choice((0, 1, 50, 5000)))
        case _:
            return data.replace(b"\n", b"\r").replace(b"=", b":")


MUTATORS: Final[tuple[Mutator, ...]] = (
    _number, _word, _path, _flip, _remove, _remove_token, _double, _many, _splice, _nest, _rough,
)  # fmt: skip
WEIGHTS: Final = (5, 5, 3, 2, 1, 2, 2, 3, 3, 3, 1)
