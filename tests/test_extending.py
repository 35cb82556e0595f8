"""What `docs/extending.md` tells to write is what the tests install."""

import re
import tomllib

import pytest
import third_party

TEXT = (third_party.ROOT / "docs" / "extending.md").read_text()
PARTS = third_party.ROOT / "tests" / "third_parts" / "pyproject.toml"


def test_its_entry_points_are_those_of_the_distribution_that_the_tests_install():
    installed = tomllib.loads(PARTS.read_text())["project"]["entry-points"]
    blocks = re.findall(r"```toml\n(.*?)```", TEXT, re.S)
    tables = [tomllib.loads(block) for block in blocks]
    told = [one["project"]["entry-points"] for one in tables if "project" in one]
    assert [sorted(one) for one in told] == [
        ["hil.arm_links"], ["hil.emulated_hosts", "hil.hosts"], ["hil.banks", "hil.buses"],
        ["hil.banks"],
    ]  # fmt: skip
    for groups in told:
        for group, entries in groups.items():
            assert entries.items() <= installed[group].items()
            for value in entries.values():
                module = value.partition(":")[0]
                assert f"examples/{module}.py" in TEXT
                assert (third_party.ROOT / "examples" / f"{module}.py").exists()


def test_each_method_of_a_link_and_each_field_of_its_kind_is_told():
    from dataclasses import fields

    from arm_driver.link import ArmLink, LinkKind

    section = TEXT.partition("## A link to a robot")[2].partition("\n## ")[0]
    methods = [name for name in vars(ArmLink) if not name.startswith("_")]
    assert len(methods) == 5
    for name in methods:
        assert f"`{name}(" in section
    for one in fields(LinkKind):
        assert re.search(rf"`{one.name}[`(]", section), one.name


def test_each_field_of_a_bus_is_told():
    from dataclasses import fields

    from hil.machines.rig.bus_kind import RACK_OPTIONS, BusKind

    section = TEXT.partition("## A bus of drives")[2].partition("\n## ")[0]
    for one in fields(BusKind):
        assert re.search(rf"`{one.name}[`(]", section), one.name
    for option in RACK_OPTIONS:
        assert f"`{option}`" in section


@pytest.mark.usefixtures("third_parts")
def test_the_rig_of_its_bus_is_accepted(tmp_path):
    from hil.machines.rig.machine import load_rig

    block = next(one for one in re.findall(r"```toml\n(.*?)```", TEXT, re.S) if "[drives]" in one)
    text = (third_party.ROOT / "configs" / "rigs" / "paper.toml").read_text()
    rig = tmp_path / "rig.toml"
    rig.write_text(f"{text}\n{block}")
    assert load_rig(rig).drives.rodline.channels == (2, 1, 4, 3, 6, 5)
