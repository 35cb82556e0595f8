"""The kinds of blocks, group by group, as data."""
