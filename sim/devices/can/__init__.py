"""Six emulated CANopen drives on one or two buses."""
