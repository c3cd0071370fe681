"""Feedback as events tell it."""

from __future__ import annotations

from typing import Optional

from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.wording import words_of
from hicrisp_core.model import Feedback
from hicrisp_core.model.feedback import feedback_record
from hicrisp_core.trace.records import FeedbackRecord


def in_words(feedback: Optional[Feedback], domain: Domain) -> Optional[FeedbackRecord]:
    """Convert feedback to a record for an event, with its sentences.

    Args:
        feedback: the feedback; may be ``None``.
        domain: types, predicates and actions of the application.

    Returns:
        The record; ``None`` without feedback.
    """
    if feedback is None:
        return None
    words = words_of(feedback, domain)
    return feedback_record(feedback, words.error, words.reason, words.suggestion)
