"""`python -m hil.cli` is the program `hil`."""

from hil.cli.main import main

main()
