"""Emulated drives behind a Modbus gateway."""
