"""Knowledge: passages of files from which a twin answers, and the rule that chooses one.

The index is derived data: one SQLite file in the data folder, whatever the database.
"""

from twindow.service.knowledge.answers import Answer, find_answer
from twindow.service.knowledge.index import KnowledgeIndex, Source
from twindow.service.knowledge.knowledge import Knowledge, missing_sources_note, split_pieces
from twindow.service.knowledge.passages import Passage, split_into_passages
from twindow.service.knowledge.prompt import prompt_with_sources
from twindow.service.knowledge.terms import names_subject

__all__ = [
    "Answer",
    "Knowledge",
    "KnowledgeIndex",
    "Passage",
    "Source",
    "find_answer",
    "missing_sources_note",
    "names_subject",
    "prompt_with_sources",
    "split_into_passages",
    "split_pieces",
]
