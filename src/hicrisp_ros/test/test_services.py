"""The service client: it keeps its connection, has a deadline, and finds a service that came back."""

from __future__ import annotations

from threading import Event
from typing import Any

import pytest
import rospy
from hicrisp_ros.node_threads import NodeThread, end_threads
from hicrisp_ros.service_client import ServiceClient, offered
from std_srvs.srv import Trigger, TriggerRequest, TriggerResponse
from waiting import PATIENCE, until

pytestmark = pytest.mark.usefixtures("ros")


def serve(name: str, answer: Any) -> rospy.Service:
    return rospy.Service(name, Trigger, answer)


def test_all_calls_go_over_one_connection() -> None:
    service = serve("kept", lambda request: TriggerResponse(True, "here"))
    connections = set()
    answer = service.handle
    service.handle = lambda transport, header: (connections.add(id(transport)), answer(transport, header))[1]
    client = ServiceClient("kept", Trigger)
    for _ in range(200):
        assert client.call(TriggerRequest(), PATIENCE).response.message == "here"
    assert len(connections) == 1
    service.shutdown()


def test_a_service_that_hangs_is_left_at_the_deadline_and_tried_anew() -> None:
    slow, over = [True], Event()

    def answer(request: TriggerRequest) -> TriggerResponse:
        if slow.pop() if slow else False:
            over.wait(PATIENCE)
        return TriggerResponse(True, "")

    service = serve("slow", answer)
    client = ServiceClient("slow", Trigger)
    replies = []
    until(lambda: replies.append(client.call(TriggerRequest(), 0.3)) or not slow, "call that hangs")
    assert replies[-1].response is None
    assert "did not answer" in replies[-1].message
    assert client.call(TriggerRequest(), PATIENCE).response.success
    over.set()
    service.shutdown()


def test_a_missing_service_is_reported_at_the_deadline() -> None:
    reply = ServiceClient("nobody", Trigger).call(TriggerRequest(), 0.4)
    assert reply.response is None
    assert "nobody" in reply.message


def test_a_node_that_ends_waits_for_no_service() -> None:
    client, begun = ServiceClient("gone_already", Trigger), Event()

    def ask(ended: Event) -> None:
        begun.set()
        client.call(TriggerRequest(), 10.0 * PATIENCE)

    NodeThread("asks", ask).start()
    assert begun.wait(PATIENCE)
    assert end_threads(0.1 * PATIENCE) == []


def test_a_service_that_was_restarted_is_found_again() -> None:
    service = serve("phoenix", lambda request: TriggerResponse(True, "first"))
    client = ServiceClient("phoenix", Trigger)
    assert client.call(TriggerRequest(), PATIENCE).response.message == "first"
    service.shutdown()
    until(lambda: not offered(service.resolved_name), "end of the first")
    service = serve("phoenix", lambda request: TriggerResponse(True, "second"))
    assert client.call(TriggerRequest(), PATIENCE).response.success
    service.shutdown()


def test_an_exception_in_the_service_is_reported_without_a_retry() -> None:
    calls = []

    def answer(request: TriggerRequest) -> TriggerResponse:
        calls.append(1)
        raise ValueError("no")

    service = serve("broken", answer)
    assert ServiceClient("broken", Trigger).call(TriggerRequest(), PATIENCE).response is None
    assert len(calls) == 1
    service.shutdown()
