"""Knowledge: passages of files from which a twin answers, and the rule that chooses one.

The index is derived data: one SQLite file in the data folder, whatever the database.
"""

from service.knowledge.answers import (
    Choices,
    Nearest,
    Possible,
    Quotation,
    Unknown,
    find_answer,
)
from service.knowledge.index import KnowledgeIndex, Source
from service.knowledge.knowledge import Knowledge, missing_sources_note, split_pieces
from service.knowledge.passages import Passage, split_into_passages
from service.knowledge.prompt import prompt_with_sources
from service.knowledge.terms import (
    content_terms,
    is_in_other_language,
    is_question,
    question_terms,
    refers_to_earlier,
)

__all__ = [
    "Choices",
    "Knowledge",
    "KnowledgeIndex",
    "Nearest",
    "Passage",
    "Possible",
    "Quotation",
    "Source",
    "Unknown",
    "content_terms",
    "find_answer",
    "is_in_other_language",
    "is_question",
    "missing_sources_note",
    "prompt_with_sources",
    "question_terms",
    "refers_to_earlier",
    "split_into_passages",
    "split_pieces",
]
