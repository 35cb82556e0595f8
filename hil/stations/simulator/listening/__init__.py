"""Verbs of ``hil host``: list, listen, check, record and emulate hosts."""
