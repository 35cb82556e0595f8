"""The program `hil`."""
