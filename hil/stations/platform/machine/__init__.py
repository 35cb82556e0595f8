"""The platform as a machine that is not bought yet: its accuracy, its cylinders, its geometry."""
