"""Owns the engine process and the queue: plain halves without Qt, and thin Qt wrappers over them."""
