"""Headroom: pictures and clips from diffusion models on your own machine, planned before they run.

Nothing heavy may be imported here: the spawned engine process imports this package again.
"""

__version__ = "0.1.0"
