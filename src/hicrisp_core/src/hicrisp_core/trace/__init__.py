"""What a run leaves: the event log, the result, the explanation, the report; and reading it back."""

from hicrisp_core.trace.event_log import EventLog, read_events
from hicrisp_core.trace.explain import explain
from hicrisp_core.trace.report import render_report
from hicrisp_core.trace.result import finish_run, trial_of

__all__ = ["EventLog", "explain", "finish_run", "read_events", "render_report", "trial_of"]
