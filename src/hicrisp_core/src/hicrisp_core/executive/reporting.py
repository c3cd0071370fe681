"""The end of a task in the user's words (CoPAL, section III-A); the plain message stands where there are
none.
"""

from __future__ import annotations

from typing import Optional, Tuple

from hicrisp_core.executive.run_log import RunLog
from hicrisp_core.model import StepRecord, Task
from hicrisp_core.ports.brain import Reporter, ReportRequest
from hicrisp_core.time.deadline import Deadline

REPORT_LIMIT = 30.0
"""Longest wait for the wording of a message, wall seconds."""
_MOST_FAILURES = 10


def words_for_user(
    reporter: Optional[Reporter], task: Task, success: bool, message: str, done: Tuple[StepRecord, ...],
    ledger: RunLog, history: Tuple[str, ...],
) -> str:
    """Return the final message for the user.

    Args:
        reporter: words the message with a language model; ``None`` keeps it.
        task: the user's request with its id.
        success: whether it succeeded.
        message: the plain message; returned without a reporter, or if a budget of the task is used up.
        done: the finished steps.
        ledger: counters and event log of the task.
        history: summaries of earlier tasks.

    Returns:
        The message.
    """
    if reporter is None or ledger.exhausted():
        return message
    failures = ledger.failed_commands[-_MOST_FAILURES:]
    said = reporter.report(ReportRequest(task, success, message, done, failures, history),
                           Deadline(REPORT_LIMIT))
    ledger.used(said.usage)
    return said.text or message
