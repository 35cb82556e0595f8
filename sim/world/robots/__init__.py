"""Robots, platforms and mechanisms as documents: text, TOML, and the graph that both describe.

After Su Hao and Xue Fangzheng (Chongqing University), a general simulation platform for jointed
robots: extended D-H text → graph → physics engine. No engine is needed here.
"""
