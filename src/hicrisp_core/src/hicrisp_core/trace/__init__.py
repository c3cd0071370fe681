"""What a run leaves: the event log, the result, the explanation, the report; and reading it back."""

from hicrisp_core.trace.event_log import EventLog
from hicrisp_core.trace.explain import explain
from hicrisp_core.trace.replay import read_events
from hicrisp_core.trace.report import render_report
from hicrisp_core.trace.result import trial_of
from hicrisp_core.trace.run_folder import finish_run

__all__ = ["EventLog", "explain", "finish_run", "read_events", "render_report", "trial_of"]
