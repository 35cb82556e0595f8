"""An emulated arm controller with its robot, and an operator in an exoskeleton."""
