"""The service client: it keeps its connection, has a deadline, and finds a service that came back."""

from __future__ import annotations

import time
from typing import Any

import pytest
import rospy
from hicrisp_ros.service_client import ServiceClient
from std_srvs.srv import Trigger, TriggerRequest, TriggerResponse

pytestmark = pytest.mark.usefixtures("ros")


def serve(name: str, answer: Any) -> rospy.Service:
    return rospy.Service(name, Trigger, answer)


def test_calls_over_one_connection_are_fast() -> None:
    service = serve("fast", lambda request: TriggerResponse(True, "here"))
    client = ServiceClient("fast", Trigger)
    assert client.call(TriggerRequest(), 2.0).response.message == "here"
    start = time.monotonic()
    for _ in range(200):
        assert client.call(TriggerRequest(), 2.0).response.success
    assert (time.monotonic() - start) / 200 < 0.005
    service.shutdown()


def test_a_service_that_hangs_is_left_at_the_deadline_and_tried_anew() -> None:
    slow = [True]

    def answer(request: TriggerRequest) -> TriggerResponse:
        if slow.pop() if slow else False:
            time.sleep(2.0)
        return TriggerResponse(True, "")

    service = serve("slow", answer)
    client = ServiceClient("slow", Trigger)
    start = time.monotonic()
    reply = client.call(TriggerRequest(), 0.3)
    assert reply.response is None
    assert "did not answer" in reply.message
    assert time.monotonic() - start < 0.6
    assert client.call(TriggerRequest(), 1.0).response.success
    service.shutdown()


def test_a_missing_service_is_reported_at_the_deadline() -> None:
    start = time.monotonic()
    reply = ServiceClient("nobody", Trigger).call(TriggerRequest(), 0.4)
    assert reply.response is None
    assert "nobody" in reply.message
    assert time.monotonic() - start < 0.8


def test_a_service_that_was_restarted_is_found_again() -> None:
    service = serve("phoenix", lambda request: TriggerResponse(True, "first"))
    client = ServiceClient("phoenix", Trigger)
    assert client.call(TriggerRequest(), 2.0).response.message == "first"
    service.shutdown()
    time.sleep(0.2)
    service = serve("phoenix", lambda request: TriggerResponse(True, "second"))
    assert client.call(TriggerRequest(), 3.0).response.success
    service.shutdown()


def test_an_exception_in_the_service_is_reported_without_a_retry() -> None:
    calls = []

    def answer(request: TriggerRequest) -> TriggerResponse:
        calls.append(1)
        raise ValueError("no")

    service = serve("broken", answer)
    assert ServiceClient("broken", Trigger).call(TriggerRequest(), 2.0).response is None
    assert len(calls) == 1
    service.shutdown()
