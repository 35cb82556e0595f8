"""A diagram as an SVG picture: blocks, ports, wires, units, and notes at the pointer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any, Final

from hil.config.toml_text import toml_value
from hil.diagram.file.model import IN, OUT, SUB, Diagram, DiagramFile, DrawnBlock
from hil.diagram.library.registry import faces, kinds
from hil.diagram.show.layout import Box, boxes
from hil.diagram.show.routing import Route, joints, routes

MARGIN: Final = 30
TITLE_ROOM: Final = 26
_CHARACTER_PX: Final = 0.62
"""Mean width of a character, by the size of its font."""
_SYMBOLS: Final = {
    "Multiply": "×", "Divide": "÷", "Reciprocal": "1/u", "Negate": "−u", "Abs": "|u|",
    "Square": "u²", "Sqrt": "√u", "Power": "uᵖ", "Exp": "eᵘ", "Log": "ln u", "Log10": "lg u",
    "Integral": "∫", "IntegralForward": "∫ fwd", "LimitedIntegral": "∫ lim",
    "ResettingIntegral": "∫ reset", "Derivative": "d/dt", "UnitDelay": "z⁻¹", "Scale": "k·u",
    "Sum": "Σ", "Minimum": "min", "Maximum": "max", "And": "and", "Or": "or", "Not": "not",
    "Greater": ">", "Less": "<", "Dot": "a·b", "Cross": "a×b", "Norm": "‖u‖", "Sin": "sin",
    "Cos": "cos", "Clock": "t", "Sine": "∿", "MatrixProduct": "A·B", "Rotate": "R·u",
}  # fmt: skip
_STYLE: Final = """
text { font-family: "DejaVu Sans", sans-serif; fill: #222222; }
.box { fill: #ffffff; stroke: #222222; stroke-width: 1.2; }
.sub { fill: #eef4f8; }
.face { fill: #f3f3f3; }
.wire { fill: none; stroke: #33506b; stroke-width: 1.3; }
.joint, .head { fill: #33506b; }
.symbol { font-size: 12px; text-anchor: middle; }
.name { font-size: 10.5px; text-anchor: middle; }
.port { font-size: 8.5px; fill: #555555; }
.unit { font-size: 8.5px; fill: #9a4b00; }
.mark { font-size: 8.5px; fill: #555555; text-anchor: end; }
.title { font-size: 13px; font-weight: bold; }
""".strip()

Units = Mapping[str, str]
"""``block.port`` → unit."""


def svg(file: DiagramFile, diagram: Diagram, title: str, units: Units | None = None) -> str:
    """Return the text of a picture.

    Args:
        file: Source of the sub-diagrams.
        diagram: The one to draw; its sub-diagrams are a block each.
        units: Of outputs and inputs, as far as they are known.
    """
    placed = boxes(diagram, file)
    wires = routes(placed, diagram.wires)
    xs = [x for box in placed.values() for x in (box.x - 20, box.x + box.width + 20)]
    ys = [y for box in placed.values() for y in (box.y, box.y + box.height + 20)]
    for wire in wires:
        xs += [x for x, _ in wire.points]
        ys += [y for _, y in wire.points]
    left, top = min(xs, default=0) - MARGIN, min(ys, default=0) - MARGIN - TITLE_ROOM
    width = max(xs, default=0) + MARGIN - left
    height = max(ys, default=0) + MARGIN - top
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="{left} {top} {width} {height}">',
        f"<style>{_STYLE}</style>",
        f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="#ffffff"/>',
        f"<g>{_hint(diagram.note)}{_text(left + 16, top + 24, 'title', title)}</g>",
    ]
    lines += (_wire(one, units or {}) for one in wires)
    lines += (f'<circle class="joint" cx="{x}" cy="{y}" r="2.6"/>' for x, y in joints(wires))
    lines += _unit_texts(wires, placed, units or {})
    for name, box in placed.items():
        lines += _block(name, box, diagram.blocks[name], units or {})
    return "\n".join([*lines, "</svg>"]) + "\n"


def _plain(text: str) -> str:
    """Return the text for XML, without characters that it may not have."""
    return escape("".join(one if one.isprintable() else " " for one in text))


def _text(x: float, y: float, kind: str, text: str, more: str = "") -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}"{more}>{_plain(text)}</text>'


def _hint(text: str) -> str:
    return f"<title>{_plain(text)}</title>" if text else ""


def _fitted(x: float, y: float, kind: str, text: str, width: float, size: float) -> str:
    """Return the text that is set smaller, or cut, where it is wider than its space."""
    smaller = min(size, width / (_CHARACTER_PX * max(len(text), 1)))
    if smaller == size:
        return _text(x, y, kind, text)
    smaller = max(smaller, 7.0)
    most = max(int(width / (_CHARACTER_PX * smaller)), 2)
    if len(text) > most:
        text = f"{text[: most - 1]}…"
    return _text(x, y, kind, text, f' style="font-size: {smaller:.1f}px"')


def _wire(wire: Route, units: Units) -> str:
    points = " ".join(f"{x},{y}" for x, y in wire.points)
    x, y = wire.points[-1]
    unit = units.get(wire.source, "")
    hint = f"{wire.source} to {wire.target}{f' [{unit}]' if unit else ''}"
    return (
        f'<g>{_hint(hint)}<polyline class="wire" points="{points}"/>'
        f'<path class="head" d="M {x} {y} l -7 -3.5 l 0 7 z"/></g>'
    )


def _unit_texts(wires: list[Route], placed: Mapping[str, Box], units: Units) -> Iterator[str]:
    """Find where a unit changes: at outputs with another than each input of their block."""
    wired = {one.target for one in wires}
    for source in sorted({one.source for one in wires}):
        name, _, port = source.partition(".")
        unit = units.get(source, "any")
        ends = [f"{name}.{one}" for one in placed[name].inputs]
        inputs = {units.get(end) for end in ends if end in wired}
        if unit != "any" and unit not in inputs and not (unit == "1" and not inputs):
            x, y = placed[name].output_at(port)
            yield _text(x + 5, y - 4, "unit", unit)


def _block(name: str, box: Box, block: DrawnBlock, units: Units) -> Iterator[str]:
    middle, half = box.x + box.width / 2, box.y + box.height / 2
    yield f"<g>{_hint(_about(name, block))}"
    if block.kind in (IN, OUT):
        yield _rect(box.x, box.y + box.height / 2 - 13, box.width, 26, "box face", 13)
        yield _fitted(middle, half + 4, "name", name, box.width - 16, 10.5)
    else:
        yield _rect(box.x, box.y, box.width, box.height, "box sub" if block.kind == SUB else "box")
        if block.kind == SUB:
            yield _rect(box.x + 3, box.y + 3, box.width - 6, box.height - 6, "box sub")
        shown = [port_words(one, block) for one in (box.inputs, box.outputs)]
        widths = [max((len(one) for one in names), default=0) * 5.4 for names in shown]
        shift = (widths[0] - widths[1]) / 2.0
        width = max(box.width - sum(widths) - 12, 20)
        yield _fitted(middle + shift, half + 4, "symbol", symbol_of(block), width, 12)
        words = f"{name} ({block.of})" if block.kind == SUB else name
        yield _fitted(middle, box.y + box.height + 13, "name", words, box.width + 50, 10.5)
        for port, words in zip(box.inputs, shown[0], strict=True):
            x, y = box.input_at(port)
            yield _port(x + 4, y + 3, words, f"{name}.{port}", units)
        for port, words in zip(box.outputs, shown[1], strict=True):
            x, y = box.output_at(port)
            yield _port(x - 4, y + 3, words, f"{name}.{port}", units, ' text-anchor="end"')
    if marks := _marks(block):
        yield _text(box.x + box.width, box.y - 4, "mark", marks)
    yield "</g>"


def _rect(x: float, y: float, width: float, height: float, kind: str, round_px: float = 2) -> str:
    return (
        f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" '
        f'rx="{round_px:g}"/>'
    )


def _port(x: float, y: float, words: str, port: str, units: Units, more: str = "") -> str:
    unit = units.get(port, "")
    hint = _hint(f"{port}{f' [{unit}]' if unit else ''}")
    return f"<g>{hint}{_text(x, y, 'port', words, more)}</g>"


def port_words(ports: tuple[str, ...], block: DrawnBlock) -> list[str]:
    """Return the labels of ports: signs of a sum, names of several, nothing at the only one."""
    signs = block.parameters.get("signs", "++")
    if block.kind == "Sum" and ports and ports[0] == "u1" and len(signs) == len(ports):
        return ["−" if one == "-" else "+" for one in signs]
    return list(ports) if len(ports) > 1 or block.kind == SUB else [""] * len(ports)


def symbol_of(block: DrawnBlock) -> str:
    """Return a sign or a few words for what a block does; empty for a sub-diagram."""
    values = block.parameters
    if block.kind == SUB:
        return ""
    if block.kind == "Gain":
        return f"× {_value(values.get('k', ''))}"
    if block.kind in ("Constant", "ConstantBoolean", "ConstantInteger"):
        return _value(values.get("value", block.kind))
    if block.kind == "TransferFunction":
        return "b(s)/a(s)"
    return _SYMBOLS.get(block.kind, block.kind)


def _value(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{len(value)}]" if len(value) > 3 else f"[{', '.join(map(_value, value))}]"
    if isinstance(value, str):
        return value.removeprefix("$")
    return toml_value(value) if isinstance(value, bool) else f"{value:.6g}"


def _marks(block: DrawnBlock) -> str:
    words = []
    if block.run != "always":
        words.append(block.run)
    if block.rate > 1:
        words.append(f"every {block.rate}{f' from {block.offset}' if block.offset else ''}")
    return ", ".join(words)


def _about(name: str, block: DrawnBlock) -> str:
    """Return the text at the pointer: kind, equation, parameters, note."""
    kind = kinds().get(block.kind) or faces().get(block.kind)
    lines = [f"{name}: {block.of if block.kind == SUB else block.kind}"]
    lines += [kind.equation] if kind is not None else []
    lines += [f"{key} = {_value(value)}" for key, value in sorted(block.parameters.items())]
    return " | ".join([*lines, *([block.note] if block.note else [])])
