"""The window of the Context Inspector: a Qt program over the engine's public names."""

__version__ = "0.1.0"
