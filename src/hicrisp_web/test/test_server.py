"""The server over real sockets: who may look, who may steer, what is refused."""

from __future__ import annotations

import http.client
import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

import pytest
from conftest import a_run, write_run
from hicrisp_web.history.history import History
from hicrisp_web.live.address import kept_token, write_private
from hicrisp_web.server.app import LARGEST_BODY, Desk
from hicrisp_web.server.guard import Allowance, Guard
from hicrisp_web.server.page_actions import PageAction, Said, read_fields
from hicrisp_web.server.shot import Shot
from hicrisp_web.server.web_thread import WebThread, listen, names_of
from hicrisp_web.view.board import Board

TOKEN = "a-token-that-nobody-guesses"
RUN = "20260101-120000-001"
PATIENCE = 60.0


class Site:
    """A server on a port of its own, and what was asked of it."""

    def __init__(self, runs: Path, pace: Allowance) -> None:
        self.asked: List[Dict[str, Any]] = []
        self.board = Board()
        found = listen("127.0.0.1", 0)
        self.port = found.getsockname()[1]

        def submit(**told: Any) -> Said:
            self.asked.append(told)
            return Said(True, "it starts now", {"task_id": "1"})

        actions = {"submit": PageAction(submit, {"task": str}),
                   "stop": PageAction(lambda: Said(True, "stopped"), urgent=True)}
        guard = Guard(TOKEN, names_of(self.port))
        shot = Shot(b"\xff\xd8 picture", "image/jpeg", "camera", 0.25)

        def camera(words: str) -> Shot:
            return replace(shot, image=words.encode()) if words else shot

        self.web = WebThread(Desk(self.board, History(runs), guard, actions, camera, pace), found)
        assert self.web.start()

    def ask(self, method: str, path: str, body: Any = None,
            **headers: str) -> Tuple[int, Dict[str, str], bytes]:
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            sent = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
            link.request(method, path, sent,
                         {name.replace("_", "-"): value for name, value in headers.items()})
            answer = link.getresponse()
            told = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, told, answer.read()
        finally:
            link.close()

    def do(self, action: str, body: Any, token: str = TOKEN, **headers: str) -> Tuple[int, Dict[str, Any]]:
        status, _, read = self.ask("POST", f"/api/do/{action}", body, Authorization=f"Bearer {token}",
                                   **headers)
        return status, json.loads(read)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    runs = tmp_path_factory.mktemp("runs")
    folder = write_run(runs / RUN, a_run())
    (folder / "report.html").write_text("<script>alert(1)</script>")
    made = Site(runs, Allowance(1000.0, 1000))
    yield made
    made.web.stop()
    assert made.web.join(PATIENCE)


def test_the_cameras_picture_is_for_those_with_the_token(site: Site) -> None:
    status, _, body = site.ask("GET", "/api/camera")
    assert status == 401
    assert not body.startswith(b"\xff\xd8")
    status, headers, body = site.ask("GET", "/api/camera", Authorization=f"Bearer {TOKEN}")
    assert (status, body, headers["content-type"]) == (200, b"\xff\xd8 picture", "image/jpeg")
    assert (headers["x-eye"], headers["x-age"]) == ("camera", "0.2")
    assert site.ask("GET", "/api/camera?of=mug%202")[0] == 401
    assert site.ask("GET", "/api/camera?of=mug%202", Authorization=f"Bearer {TOKEN}")[2] == b"mug 2"


def test_the_page_runs_nothing_that_is_not_its_own(site: Site) -> None:
    status, headers, body = site.ask("GET", "/")
    assert status == 200
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    text = body.decode()
    assert "onclick" not in text
    assert " style=" not in text
    assert "http" not in text.replace("http-equiv", "")


def test_every_file_of_the_page_is_there(site: Site) -> None:
    for path in ("/style.css", "/icon.svg", "/js/main.js", "/js/replay.js"):
        assert site.ask("GET", path)[0] == 200, path
    assert site.ask("GET", "/js/../../node.py")[0] == 404


def test_a_task_is_handed_on_with_the_token(site: Site) -> None:
    status, said = site.do("submit", {"task": "pick the box"})
    assert (status, said) == (200, {"ok": True, "message": "it starts now", "task_id": "1"})
    assert site.asked[-1] == {"task": "pick the box"}


@pytest.mark.parametrize("token", ["", "wrong", TOKEN[:-1], TOKEN + "x", "\u00e9"])
def test_without_the_token_nothing_is_done(site: Site, token: str) -> None:
    before = len(site.asked)
    assert site.do("submit", {"task": "x"}, token=token)[0] in (401, 429)
    assert len(site.asked) == before


def test_another_sites_page_does_nothing_even_with_the_token(site: Site) -> None:
    assert site.do("submit", {"task": "x"}, Origin="http://evil.example")[0] == 403
    assert site.do("submit", {"task": "x"}, Origin="null")[0] == 403
    assert site.do("submit", {"task": "x"}, Origin=f"http://127.0.0.1:{site.port}")[0] == 200


def test_a_foreign_name_that_points_here_is_not_answered(site: Site) -> None:
    assert site.ask("GET", "/api/runs", Host="rebound.example")[0] == 421
    assert site.ask("GET", "/api/runs", Host=f"localhost:{site.port}")[0] == 200


@pytest.mark.parametrize("body", [b"no json", b"[]", b'"x"', b'{"task": 3}', b'{"other": ""}', b"[" * 50_000,
                                  b'{"task": "' + b"x" * 3000 + b'"}', b"x" * (LARGEST_BODY + 1)])
def test_what_is_no_request_is_refused_with_its_reason(site: Site, body: bytes) -> None:
    before = len(site.asked)
    status, said = site.do("submit", body)
    assert status == 400
    assert not said["ok"]
    assert said["message"]
    assert len(site.asked) == before


def test_an_unknown_deed_is_not_there(site: Site) -> None:
    assert site.do("format_disk", {})[0] == 404


def test_too_many_requests_at_once_are_refused_but_never_a_stop(tmp_path: Path) -> None:
    site = Site(tmp_path, Allowance(0.0, 3))
    assert [site.do("submit", {"task": "x"})[0] for _ in range(5)] == [200, 200, 200, 429, 429]
    assert {site.do("stop", {})[0] for _ in range(5)} == {200}
    site.web.stop()
    assert site.web.join(PATIENCE)


def test_a_stream_begins_with_everything_and_goes_on_with_changes(site: Site) -> None:
    site.board.put({"run": {"text": "a task"}})
    link = http.client.HTTPConnection("127.0.0.1", site.port, timeout=PATIENCE)
    link.request("GET", "/api/live")
    stream = link.getresponse()
    assert stream.getheader("Content-Type", "").startswith("text/event-stream")

    def message() -> Tuple[str, Any]:
        lines = [stream.readline().decode().strip() for _ in range(3)]
        return lines[0], json.loads(lines[1][len("data: "):])

    assert message() == ("event: whole", {"run": {"text": "a task"}})
    site.board.put({"goal": 1, "plan": None})
    assert message() == ("event: changes", {"goal": 1, "plan": None})
    link.close()


def test_a_report_is_handed_out_but_reaches_nothing(site: Site) -> None:
    status, headers, _ = site.ask("GET", f"/api/runs/{RUN}/files/report.html")
    assert status == 200
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none';")
    assert policy.endswith("sandbox allow-scripts")  # An origin of its own: not the dashboard's.
    assert "connect-src" not in policy
    assert site.ask("GET", f"/api/runs/{RUN}/files/..%2f..%2fsecret.json")[0] == 404


def test_past_runs_are_listed_and_replayed(site: Site) -> None:
    found = json.loads(site.ask("GET", "/api/runs?words=box&most=5")[2])
    assert [run["id"] for run in found["runs"]] == [RUN]
    assert site.ask("GET", "/api/runs?first=-1&most=x")[0] == 200
    status, headers, _ = site.ask("GET", f"/api/runs/{RUN}/part", Accept_Encoding="gzip")
    assert (status, headers["content-encoding"]) == (200, "gzip")
    assert site.ask("GET", "/api/runs/none/part")[0] == 404


def test_a_short_token_is_none() -> None:
    with pytest.raises(ValueError, match="guessed"):
        Guard("short", [])


def test_requests_are_counted_by_the_second() -> None:
    now = [0.0]
    allowance = Allowance(2.0, 3, clock=lambda: now[0])
    assert [allowance.take() for _ in range(4)] == [True, True, True, False]
    now[0] += 0.5
    assert [allowance.take() for _ in range(2)] == [True, False]


def test_a_deeds_fields_are_checked_by_their_kind() -> None:
    action = PageAction(lambda **_: Said(True, ""), {"task": str, "granted": bool, "steps": list})
    assert read_fields(action, {}) == {"task": "", "granted": False, "steps": []}
    for wrong in ({"granted": 1}, {"steps": ["a", 1]}, {"steps": ["a"] * 200}, {"task": None}):
        assert isinstance(read_fields(action, wrong), str), wrong


def test_the_token_stays_for_a_launch_and_only_its_user_reads_it(tmp_path: Path) -> None:
    file = tmp_path / "home" / "8642.json"
    token = kept_token(file, "launch 1")
    assert kept_token(file, "launch 1") == token
    assert kept_token(file, "launch 2") != token
    assert file.stat().st_mode & 0o777 == 0o600
    file.write_text("damaged")
    assert kept_token(file, "launch 2")
    write_private(file, "x")
    assert file.read_text() == "x"
