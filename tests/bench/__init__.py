"""What recording, reading and starting cost: ``python -m tests.bench``, or ``make bench``.

Prints figures of one run on this machine beside the goals that the project set itself. Nothing here is
a test: a wall time on a busy machine proves nothing, so no figure fails anything. Processor time is the
steadier measure and the one that ratios are made of.
"""
