"""The supervisor's services as actions of the page."""

from __future__ import annotations

from typing import Any, Callable, Dict, List

from hicrisp_ros.supervisor_services import SupervisorServices

from hicrisp_web.server.page_actions import PageAction, Said


class Services(SupervisorServices):
    """The supervisor's services with their answers for the page."""

    _stops = 0

    def stop(self) -> Said:
        """Stop everything, however often and whatever else is under way."""
        self._stops += 1
        return self.said("estop")

    def clear(self) -> Said:
        """End the emergency stop; one that is pressed on any page before the answer is there holds."""
        before = self._stops
        said = self.said("clear_estop")
        if self._stops == before:
            return said
        self.said("estop")
        return Said(False, "Stop was pressed while it was being cleared: the stop holds.")

    def said(self, name: str, *fields: Any) -> Said:
        """Call a service of the supervisor for the page.

        Args:
            name: its name in the namespace.
            *fields: the fields of the request, in their order.

        Returns:
            Whether it worked, with a message and values.
        """
        answer = self.call(name, *fields).response
        if answer is None:
            return Said(False, f"The supervisor does not answer ({name}). The page goes on once it is back.")
        if name == "submit_task":
            return Said(answer.accepted, answer.message, {"task_id": answer.task_id})
        if name == "explain":
            return Said(answer.ok, answer.text)
        if name == "review_plan":
            return Said(answer.ok, answer.message, {"problems": list(answer.problems),
                                                    "readings": list(answer.readings), "warning": answer.warning})
        return Said(answer.success if hasattr(answer, "success") else answer.ok, answer.message)


def page_actions_of(services: Services, changed: Callable[[], None]) -> Dict[str, PageAction]:
    """List what a page may request.

    Args:
        services: the supervisor's services.
        changed: called after each request, which may change the queue.

    Returns:
        Requests by name, with the types of their fields.
    """
    def action(service: str, urgent: bool = False, **fields: type) -> PageAction:
        def do(**told: Any) -> Said:
            said = services.said(service, *told.values())
            changed()
            return said

        return PageAction(do, fields, urgent)

    def review(only_check: bool) -> Callable[..., Said]:
        def do(task_id: str, granted: bool, steps: List[str]) -> Said:
            return services.said("review_plan", task_id, granted, only_check, steps)

        return do

    plan = {"task_id": str, "granted": bool, "steps": list}
    return {
        "review": PageAction(review(only_check=False), plan), "check": PageAction(review(only_check=True), plan),
        "submit": action("submit_task", task=str),
        "cancel": action("cancel_task", urgent=True, task_id=str),
        "pause": action("pause", urgent=True), "resume": action("resume"),
        "stop": PageAction(services.stop, urgent=True), "clear": PageAction(services.clear),
        "approve": action("approve", task_id=str, granted=bool),
        "answer": action("answer", task_id=str, answer=str),
        "tell": action("tell", task_id=str, text=str),
        "autonomy": action("set_autonomy", level=str),
        "explain": action("explain", task_id=str),
    }
