"""Reasons why elements and attributes of models are not taken."""

from typing import Final

REASONS: Final = {
    "light": "lights are a scene's", "camera": "cameras are a scene's, or a sensor of a document",
    "visual": "how pictures are made", "statistic": "how pictures are made",
    "sensor": "sensors are not read from MJCF", "keyframe": "where a run begins is its scenario's",
    "key": "a model begins at its first", "key again": "a model begins at its first",
    "custom": "another program's",
    "extension": "another program's", "size": "the engine finds its sizes itself",
    "tendon": "tendons are not read", "contact": "links of one robot do not touch each other",
    "pair": "links of one robot do not touch each other",
    "exclude": "links of one robot do not touch each other",
    "deformable": "soft bodies are not read", "flexcomp": "soft bodies are not read",
    "composite": "write its bodies out", "replicate": "write its bodies out",
    "attach": "an attached model attaches no other: write that out", "skin": "skins are not read",
    "texture": "textures are those of a mesh's own materials",
    "hfield": "fields of heights are not read",
    "flag": "a scene says how a world is stepped",
    "@": "has none of this name that is read",
    **dict.fromkeys(("@timestep", "@integrator", "@cone", "@impratio", "@solver",
                     "@iterations", "@tolerance", "@magnetic", "@wind", "@density", "@viscosity",
                     "@noslip_iterations", "@jacobian"), "a scene says how a world is stepped"),
    **dict.fromkeys(("@solref", "@solimp", "@solreflimit", "@solimplimit", "@solreffriction",
                     "@solimpfriction", "@margin", "@gap", "@solmix", "@condim", "@priority",
                     "@friction"), "what touches is as hard and rough as the world has it"),
    **dict.fromkeys(("@stiffness", "@springref", "@springdamper"), "joints have no springs"),
    "@shellinertia": "a geom weighs as a solid",
    **dict.fromkeys(("@actuatorfrcrange", "@actuatorfrclimited"), "a drive has its own limit"),
    **dict.fromkeys(("@group", "@shininess", "@specular", "@emission", "@reflectance",
                     "@texrepeat", "@texuniform"), "how pictures are made"),
    "@texture": "textures are those of a mesh's own materials",
    "@gravcomp": "every link has its weight", "@mocap": "every link is moved by its joint",
    "@ctrl": "commands are a run's", "@qvel": "a run begins at rest",
}  # fmt: skip
"""Reasons by an element's name, or an attribute's after ``@``."""
