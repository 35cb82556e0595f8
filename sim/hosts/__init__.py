"""Emulated hosts: simulators as the bench meets them on the wire, with faults."""
