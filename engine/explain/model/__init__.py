"""What explaining gives: plain frozen values, as the read model's (:mod:`engine.trace.model`) are.

``chars`` are characters of text, ``tokens`` estimates of 4 characters each unless a field says that the provider
reported them. ``part`` and ``parts`` ask the reader for bodies. None means "not known".
"""

from __future__ import annotations

from engine.explain.model.cache import CacheBreak as CacheBreak
from engine.explain.model.cache import CacheTotals as CacheTotals
from engine.explain.model.cache import CacheUse as CacheUse
from engine.explain.model.cache import Cause as Cause
from engine.explain.model.diff import AreaDiff as AreaDiff
from engine.explain.model.diff import PartDiff as PartDiff
from engine.explain.model.diff import RequestDiff as RequestDiff
from engine.explain.model.diff import Span as Span
from engine.explain.model.diff import TextDiff as TextDiff
from engine.explain.model.fates import Fates as Fates
from engine.explain.model.fates import MessageFate as MessageFate
from engine.explain.model.integrity import Integrity as Integrity
from engine.explain.model.integrity import IntegrityDifference as IntegrityDifference
from engine.explain.model.integrity import MissingArtifact as MissingArtifact
from engine.explain.model.remembered import MECHANISMS as MECHANISMS
from engine.explain.model.remembered import Mechanism as Mechanism
from engine.explain.model.remembered import Remembered as Remembered
from engine.explain.model.summaries import LostFact as LostFact
from engine.explain.model.summaries import SummaryReport as SummaryReport
from engine.explain.model.tools import ToolCost as ToolCost
from engine.explain.model.tools import ToolReport as ToolReport
from engine.explain.model.waterfall import Amount as Amount
from engine.explain.model.waterfall import Area as Area
from engine.explain.model.waterfall import Change as Change
from engine.explain.model.waterfall import Step as Step
from engine.explain.model.waterfall import Waterfall as Waterfall
