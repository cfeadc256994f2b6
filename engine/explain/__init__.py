"""Why a request is what it is: contributors, fates, differences, prompt cache, summaries, tools, integrity.

Works over the read interface alone (:mod:`engine.explain.source`), never on tables; writes nothing.
"""

from engine.explain.explainer import Explainer

__all__ = ["Explainer"]
