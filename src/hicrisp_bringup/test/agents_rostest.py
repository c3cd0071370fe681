#!/usr/bin/env python3
"""CoPAL's agents over ROS: the dialogue travels with the tasks, the end of a task is told in Alex's words."""

from __future__ import annotations

import json
import os
import sys
import unittest
from pathlib import Path
from typing import Any, Dict, List
from urllib.parse import urlsplit

import rospy
import rostest

from hicrisp_msgs.msg import TaskStatus

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "support"), str(HERE.parents[1] / "hicrisp_core" / "test")]
from chat_server import ChatServer  # noqa: E402
from harness import Workspace  # noqa: E402

PICK, PLACE = "pick(panda, box)", "place_next_to(panda, box, cylinder)"
TOLD = "There it stands, as you wished."


def agent(request: Dict[str, Any]) -> str:
    """Answers as each of the three agents would."""
    system, prompt = (request["messages"][index]["content"] for index in (0, -1))
    if system.startswith("You are Travi"):
        return json.dumps({"goal": "side by side", "objects": ["box", "cylinder"], "state": "",
                           "steps": ["go"]})
    if system.startswith("You are Ropa"):
        # The box has to be picked up first: the mid-level planner's part.
        return json.dumps({"steps": [PLACE]})
    if "How it ended: it was done" in prompt:
        return json.dumps({"answer": TOLD})
    question = "where" in prompt.split("The user says:")[-1]
    return json.dumps({"answer": "It is on the table.", "forward": ""} if question else
                      {"answer": "", "forward": "place box next to cylinder"})


class Agents(unittest.TestCase):
    """What a user of the agents sees."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = ChatServer(agent, port=urlsplit(os.environ["HICRISP_LLM_BASE_URL"]).port)
        rospy.init_node("test_agents")
        cls.workspace = Workspace()

    def _prompts(self, name: str) -> List[str]:
        return [request["messages"][-1]["content"] for request in self.server.requests
                if request["messages"][0]["content"].startswith(f"You are {name}")]

    def test_a_question_is_answered_and_a_task_done_and_told_in_words_that_know_the_question(self) -> None:
        asked = self.workspace.run("where is the box?")
        assert (asked.state, asked.message) == (TaskStatus.ANSWERED, "It is on the table.")
        assert not self._prompts("Travi")
        done = self.workspace.run("put it next to the cylinder")
        assert (done.state, done.message) == (TaskStatus.SUCCEEDED, TOLD)
        self.workspace.until(lambda: self.workspace.holds("box", "next_to", "cylinder"),
                             "sight of what was done")
        assert "<<<place box next to cylinder>>>" in self._prompts("Travi")[0]
        heard, reported = self._prompts("Alex")[1:3]
        for line in ("<<<User: where is the box?>>>", "<<<Robot did: nothing>>>",
                     "<<<Robot: It is on the table.>>>"):
            assert line in heard
            assert line in reported
        assert "- place box next to cylinder" in reported
        self.workspace.run("where is it now?")
        assert f"<<<Robot: {TOLD}>>>" in self._prompts("Alex")[-1]
        assert "<<<Robot did: place box next to cylinder>>>" in self._prompts("Alex")[-1]
        result = json.loads((Path(done.run_folder) / "result.json").read_text())
        assert result["message"] == TOLD
        assert result["corrections"] == {"repair": 1}
        assert result["llm_calls"] == 4
        asked = [json.loads(line) for line in (Path(done.run_folder) / "llm.jsonl").read_text().splitlines()]
        assert [each["role"] for each in asked] == ["alex", "travi", "ropa", "alex"]
        assert all(each["answer"] and each["prompt_tokens"] for each in asked)


if __name__ == "__main__":
    rostest.rosrun("hicrisp_bringup", "agents", Agents)
