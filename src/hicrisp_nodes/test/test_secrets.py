"""Keys stand in no message that others read."""

from __future__ import annotations

import logging

from hicrisp_core.model import Plan, Step
from hicrisp_nodes.supervisor.reports import without_secrets
from hicrisp_ros.conversions import PLAN
from hicrisp_ros.core_log import Redacting

from hicrisp_msgs.msg import TaskStatus

KEY, LOOKS_LIKE_ONE = "my-own-endpoint-key", "sk-abcdefgh12345678"


def test_a_plan_that_repeats_a_key_is_published_without_it() -> None:
    plan = Plan((Step(f"pick up box {KEY}", "pick", {"item": "box"}),), "openai:x", f"the key {LOOKS_LIKE_ONE} says so")
    message = without_secrets(PLAN.to_msg(plan, task_id="1"), KEY)
    for text in (KEY, LOOKS_LIKE_ONE):
        assert text not in str(message)
    assert message.steps[0].text.startswith("pick up box ")
    assert (message.task_id, message.steps[0].action) == ("1", "pick")


def test_the_choices_of_a_question_are_too() -> None:
    status = TaskStatus(message=f"Which {KEY}?", choices=["box", KEY], step_count=3)
    hidden = without_secrets(status, KEY)
    assert KEY not in str(hidden)
    assert (hidden.choices[0], hidden.step_count) == ("box", 3)


def test_what_a_node_logs_holds_no_key_and_stays_as_it_is_otherwise() -> None:
    record = logging.LogRecord("rosout", logging.INFO, "", 0, "%d calls with %s, %s", (3, KEY, "short"), None)
    assert Redacting(KEY, "short").filter(record)
    assert record.getMessage() == "3 calls with [redacted], short"
