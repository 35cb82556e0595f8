"""`python -m hil.cli` is the program `hil`."""

from hil.cli.entry import main

main()
