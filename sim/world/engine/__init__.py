"""Robots and scenes in the physics engine (MuJoCo, extra ``world``)."""
