"""Pictures of models, drawn by a process of their own, and files of them.

Only ``python -m sim.world.pictures`` loads OpenGL; processes that simulate do not.
"""
