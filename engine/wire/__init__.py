"""What went over the wire: the bodies that a model's client really sent, attempt by attempt.

``tap`` listens at the HTTP client, ``body`` keeps a body so that only what is new in it takes
room, ``entries`` is what the recorder's writer gets, ``read`` gives it back, and ``compare``
holds it against LangChain's view. ``usage`` and ``prices`` tell what the provider reported and
what it cost. Nothing here knows how an agent is built; a fault here never reaches a run.
"""
