"""The read model: plain frozen values that every view, script and test gets.

No LangChain, no SQL and no Qt here. Sizes are characters of text and tokens; a token
count is an estimate (4 characters a token, LangChain's ``count_tokens_approximately``)
unless a field says that the provider reported it. ``None`` always means "not known".
Times are seconds since the epoch, UTC.
"""

from __future__ import annotations

from engine.trace.model.events import Event as Event
from engine.trace.model.events import Summary as Summary
from engine.trace.model.files import Artifact as Artifact
from engine.trace.model.files import Drift as Drift
from engine.trace.model.files import MemoryFile as MemoryFile
from engine.trace.model.files import SkillDrift as SkillDrift
from engine.trace.model.files import SkillRow as SkillRow
from engine.trace.model.kinds import Fate as Fate
from engine.trace.model.kinds import Kind as Kind
from engine.trace.model.kinds import Origin as Origin
from engine.trace.model.kinds import Piece as Piece
from engine.trace.model.kinds import Purpose as Purpose
from engine.trace.model.kinds import TokenSource as TokenSource
from engine.trace.model.parts import FIRST_LINE as FIRST_LINE
from engine.trace.model.parts import Aligned as Aligned
from engine.trace.model.parts import MessageHead as MessageHead
from engine.trace.model.parts import MessageRow as MessageRow
from engine.trace.model.parts import PartRow as PartRow
from engine.trace.model.parts import RawRow as RawRow
from engine.trace.model.parts import SystemBlock as SystemBlock
from engine.trace.model.parts import ToolCall as ToolCall
from engine.trace.model.parts import ToolRow as ToolRow
from engine.trace.model.request import Branch as Branch
from engine.trace.model.request import Layer as Layer
from engine.trace.model.request import RequestDetail as RequestDetail
from engine.trace.model.request import RequestLists as RequestLists
from engine.trace.model.rows import RequestRow as RequestRow
from engine.trace.model.rows import ThreadRow as ThreadRow
from engine.trace.model.rows import Usage as Usage
