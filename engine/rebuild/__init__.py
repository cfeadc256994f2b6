"""A request of somebody else's thread, exactly, with that agent's own code and without calling a model.

The code runs in a process of its own, over a private copy of the database.
"""
