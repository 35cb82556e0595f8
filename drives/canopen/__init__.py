"""Six CANopen drives (CiA 301, CiA 402) as a bank of drives."""
