"""Data sheets as makers write them: the objects of the shipped one in other orders and other words.

Nothing of the reader is used: sections are found by their brackets, line by line.
"""

from random import Random

from hil.config.file_search import configs_dir

SHIPPED = configs_dir() / "eds" / "hil_emulated_drive.eds"
LISTS = ("MandatoryObjects", "OptionalObjects", "ManufacturerObjects")
OWN = {
    "6007": {"AccessType": "const", "DefaultValue": "0xFFFF"},
    "607F": {"LowLimit": "1", "HighLimit": "50000"},
    "6085": {"LowLimit": "0x1", "HighLimit": "0x7FFFFFFF"},
    "607Dsub1": {"LowLimit": "0x80000000", "HighLimit": "0x7FFFFFFF"},
    "6502": {"DefaultValue": "0x1F00E5"},
    "60A9": {"DefaultValue": "0xFDB44700"},
}
"""What the shipped sheet does not have: limits, a fixed value, modes and a unit of a maker's."""
ORDERS = ("as shipped", "lists first", "by index", "lists last", "mixed")


def blocks(text):
    """Return the sections of a sheet: name to {key: value}."""
    found = {}
    for line in text.splitlines():
        if line.startswith("["):
            found[line[1:-1]] = keys = {}
        elif "=" in line:
            key, value = line.split("=", 1)
            keys[key] = value
    return found


def plain(found):
    """Return sections as the text of a sheet."""
    return "\n".join(
        "\n".join([f"[{name}]", *(f"{key}={value}" for key, value in keys.items()), ""])
        for name, keys in found.items()
    )


def made():
    """Return the sections of the shipped sheet with what `OWN` says besides."""
    found = blocks(SHIPPED.read_text())
    for place in ("60A8", "60A9", "60AA"):
        found[place] = dict(found["6065"], ParameterName="unit", DefaultValue="0x0")
    for name, keys in OWN.items():
        found[name] = {**found[name], **keys}
    return found


def is_object(name):
    return len(name) >= 4 and all(each in "0123456789ABCDEF" for each in name[:4])


def lists_of(found, own=0):
    """Return the three lists of the objects in sections, and sections of the maker's own."""
    tops = sorted(name for name in found if is_object(name) and len(name) == 4)
    mandatory = [name for name in tops if name in ("1000", "1001", "1018")]
    makers = [f"{0x2000 + k:04X}" for k in range(own)]
    rows = (mandatory, [name for name in tops if name not in mandatory], makers)
    lists = {
        title: {"SupportedObjects": str(len(names))}
        | {str(k): f"0x{name}" for k, name in enumerate(names, 1)}
        for title, names in zip(LISTS, rows, strict=True)
    }
    plain = {"ParameterName": "own", "DataType": "0x0007", "AccessType": "rw", "PDOMapping": "0"}
    return lists, dict.fromkeys(makers, plain)


def write(seed, *, proved_end=False):
    """Return the text of a sheet in the words and the order of some maker.

    Args:
        seed: draws the maker.
        proved_end: an empty line ends the file, which is whole beyond doubt then.
    """
    random = Random(seed)
    found = made()
    lists, makers = lists_of(found, own=random.choice((0, 0, 3)))
    if random.random() < 0.3:
        found = _compact(found)
    order = random.choice(ORDERS)
    names = _ordered(found, makers, order, random)
    everything = {**found, **lists, **makers}
    style = _Style(random)
    if not makers and order == "by index" and random.random() < 0.5:
        del everything[LISTS[2]]
    texts = [style.section(name, everything[name]) for name in names if name in everything]
    text = style.between.join(texts)
    end = random.choice(("", "", None, style.eol, f"; end{style.eol}"))
    if proved_end:
        return text + style.eol
    return text.rstrip() if end is None else text + end


def _ordered(found, makers, order, random):
    heads = [name for name in found if not is_object(name) and name not in LISTS]
    objects = [name for name in found if is_object(name)]
    if order == "by index":
        rest = sorted([*objects, *makers])
        return [*heads, *LISTS, *rest]
    if order == "lists first":
        return [*heads, *LISTS, *makers, *objects]
    if order == "lists last":
        return [*heads, *objects, *makers, *LISTS]
    mandatory = [name for name in objects if name[:4] in ("1000", "1001", "1018")]
    optional = [name for name in objects if name not in mandatory]
    parts = [[LISTS[0], *mandatory], [LISTS[1], *optional], [LISTS[2], *makers]]
    tail = []
    if order == "mixed":
        random.shuffle(parts)
        heads, tail = heads[:2], heads[2:]
    return [*heads, *parts[0], *parts[1], *parts[2], *tail]


def _compact(found):
    """Return the same with 1003h and 6099h as arrays in the short form."""
    short = dict(found)
    for index in ("1003", "6099"):
        first = short[f"{index}sub1"]
        subs = [name for name in short if name.startswith(f"{index}sub")]
        for name in subs:
            del short[name]
        short[index] = {
            **first,
            "ParameterName": "array",
            "ObjectType": "0x8",
            "CompactSubObj": str(len(subs) - 1),
        }
    return short


class _Style:
    """How a maker writes."""

    def __init__(self, random):
        self.random = random
        self.eol = random.choice(("\n", "\r\n"))
        self.between = random.choice((self.eol, self.eol, ""))
        self.capitals = random.choice((str, str, str.upper, str.lower))
        self.keys_last = random.choice(((), ("DefaultValue",), ("PDOMapping",), ("HighLimit",)))
        self.bare = random.random() < 0.3
        self.zero_mapping = random.random() < 0.7
        self.number = random.choice((self._plain, self._decimal, self._commented, self._padded))

    def section(self, name, keys):
        name = self.capitals(name) if is_object(name) else name
        rows = sorted(keys.items(), key=lambda item: item[0] in self.keys_last)
        lines = [f"[{name}]"]
        for key, value in rows:
            if key == "PDOMapping" and value == "0" and not self.zero_mapping:
                continue
            value = self.number(value) if value.startswith("0x") else value
            lines.append(f"{self.capitals(key)}={value}")
        if self.bare and name == "DeviceInfo":
            lines.append("made by hand")
        return self.eol.join(lines) + self.eol

    def _plain(self, text):
        return text

    def _decimal(self, text):
        return str(int(text, 16))

    def _commented(self, text):
        return f" {text.replace('0x', '0X')} ; {self.random.randrange(9)}"

    def _padded(self, text):
        return f"0x{int(text, 16):010x}"
