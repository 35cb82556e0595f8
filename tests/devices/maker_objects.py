"""Every object that the dictionaries of five makers list, as far as they are published.

Rewritten from the lists [MandatoryObjects] and [OptionalObjects] of the EDS or DCF files in public
repositories of drivers: maxon EPOS4 module 24/1.5 (maxon_epos4_ros1_csp), Nanotec CL4-E-1-12
(starnus-software/ros2_canopen), Technosoft iPOS and Schunk PRL120 (ros_canopen), Elmo Gold
(ipa320/cob_robots). Of 2000h to 5FFFh, where makers have hundreds, only Elmo's two that the bench
knows are listed. `SubNumber` of an EDS counts sub-index 0 as well.
"""


def objects(text: str) -> frozenset[int]:
    """Indices of a list with ranges, hexadecimal."""
    found: set[int] = set()
    for word in text.split():
        first, _, last = word.partition("-")
        found |= set(range(int(first, 16), int(last or first, 16) + 1))
    return frozenset(found)


MAKERS = {
    "epos4": objects("""
        1000 1001 1003 1005 1008 1010 1011 1014 1016-1018 1029 1200 1400-1403 1600-1603 1800-1803
        1A00-1A03 1F50 1F51 1F56 1F57 6007 603F-6041 605A-605C 605E 6060-6062 6064-6068 606B 606C
        6071 6076 6077 607A 607B 607D 607F-6081 6083-6086 6098-609A 60A8-60AA 60B0-60B2 60B8-60BB
        60C2 60C5 60D0 60D5 60D6 60E3-60E5 60F4 60FD-60FF 6402 6502
    """),
    "cl4": objects("""
        1000 1001 1003 1005-100A 100C 100D 1010 1011 1014 1016-1020 1029 1400-1407 1600-1607
        1800-1807 1A00-1A07 1F50 1F51 1F57 1F80 6007 603F-6044 6046 6048-604A 604C 605A-605E
        6060-6068 606B-6075 6077 607A-6087 608F-6092 6096-609A 60A2 60A4 60A8 60A9 60B0-60B2 60C1
        60C2 60C4-60C6 60E4-60E6 60E8 60E9 60EB 60ED 60EE 60F2 60F4 60F8 60FA 60FC-60FF 6502 6503
        6505
    """)
    - objects("101A-101F"),
    "ipos": objects("""
        1000-1003 1005 1006 1008 100A 100C 100D 1010 1011 1013 1014 1017 1018 1200 1400-1403
        1600-1603 1800-1803 1A00-1A03 6007 6040 6041 605A-605E 6060-6069 606B 606C 606F 6071 6077
        607A-607E 6081 6083 6085 6086 6089-608E 6093 6094 6097-609A 60B8-60BD 60C0-60C2 60F2 60F4
        60F8 60FC-60FF 6502
    """),
    "elmo_gold": objects("""
        1000-1003 1006 1008-100B 1010 1011 1014 1016-1018 1023 1024 1029 1400-1403 1600-1603
        1800-1803 1A00-1A03 2041 22A2 6007 603F-6041 605A-605E 6060-6087 608C 608E-6092 6096-609A
        60B0-60B2 60B8-60BD 60C0-60C2 60C4-60C6 60E0 60E1 60E3-60E5 60F2 60F4 60FA 60FC-60FF 6502
    """),
    "prl120": objects("""
        1000-1003 1005 1008-100A 100C 100D 1014 1016-1018 1200 1400 1401 1600 1601 1800-1803
        1A00-1A03 6040 6041 6060 6061 6064 6065 606B 606C 6073 6075 6077 607A 607C 6081 6083 6086
        60B2 60C1-60C4 6502
    """),
}
LISTED = {"epos4": 91, "cl4": 148, "ipos": 94, "elmo_gold": 124, "prl120": 49}
"""How many objects the lists say that they have; two of Elmo's are the maker's own."""
SUBINDICES = {
    "epos4": {0x1003: 5, 0x1016: 2},
    "cl4": {0x1003: 8, 0x1016: 1},
    "ipos": {0x1003: 5},
    "elmo_gold": {0x1003: 16, 0x1016: 2},
    "prl120": {0x1003: 2, 0x1016: 3},
}
"""Highest sub-index of what differs between them."""
