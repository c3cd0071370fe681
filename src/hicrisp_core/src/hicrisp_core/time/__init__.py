"""Deadlines, events and bounded calls: every wait in the workspace has an end."""

from hicrisp_core.time.bounded_call import BoundedCalls, Overdue
from hicrisp_core.time.deadline import Deadline, ThinkingTime
from hicrisp_core.time.stamps import lag, lead
from hicrisp_core.time.waiting import AlarmEvent, LinkedEvent, wait_on, wait_until

__all__ = ["AlarmEvent", "BoundedCalls", "Deadline", "LinkedEvent", "Overdue", "ThinkingTime", "lag", "lead", "wait_on",
           "wait_until"]
