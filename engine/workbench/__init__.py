"""Plain values of the memory and skills workbench: what views, scripts and tests get.

No LangChain, no SQL and no Qt here. Sizes are bytes where a field says so, else characters; tokens are
estimates (4 characters a token). Times are seconds since the epoch, UTC; ``None`` means "not known".
"""

from __future__ import annotations

from engine.workbench.deletion import DeletionItem as DeletionItem
from engine.workbench.deletion import DeletionPlan as DeletionPlan
from engine.workbench.deletion import DeletionProof as DeletionProof
from engine.workbench.dryrun import DryComparison as DryComparison
from engine.workbench.dryrun import DryRequest as DryRequest
from engine.workbench.dryrun import DryRow as DryRow
from engine.workbench.dryrun import Edits as Edits
from engine.workbench.dryrun import Piece as Piece
from engine.workbench.reach import BlastRadius as BlastRadius
from engine.workbench.reach import Reach as Reach
from engine.workbench.skills import SkillCheck as SkillCheck
from engine.workbench.skills import SkillCosts as SkillCosts
from engine.workbench.texts import AgentEdit as AgentEdit
from engine.workbench.texts import Applied as Applied
from engine.workbench.texts import Author as Author
from engine.workbench.texts import FileVersion as FileVersion
from engine.workbench.texts import Finding as Finding
from engine.workbench.texts import Level as Level
from engine.workbench.texts import Merge as Merge
from engine.workbench.texts import SentMemory as SentMemory
from engine.workbench.texts import TextFacts as TextFacts
