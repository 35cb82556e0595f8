"""The bytes that simulators send, written from the descriptions of their wires."""
