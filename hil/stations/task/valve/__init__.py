"""Task `valve`: turn the valve wheel of an airlock by a claw, under force control."""
