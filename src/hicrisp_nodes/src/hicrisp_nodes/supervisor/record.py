"""The run folder of one task."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional

from hicrisp_core.executive.ledger import TaskResult

from hicrisp_nodes.supervisor.reports import event_json


class Record:
    """Writes ``events.jsonl`` as it happens and ``result.json`` at the end.

    Args:
        labels: policy, llm, scene and seed of the run.
    """

    def __init__(self, folder: Path, task: str, labels: Mapping[str, Any]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder.resolve()
        self._task = task
        self._labels = dict(labels)
        self._events: List[Mapping[str, Any]] = []
        self._file = (self.folder / "events.jsonl").open("a", encoding="utf-8", buffering=1)

    def write(self, event: Mapping[str, Any]) -> None:
        """Append one event."""
        self._events.append(event)
        self._file.write(event_json(event) + "\n")

    def close(self, result: Optional[TaskResult]) -> None:
        """End the log and write the result."""
        self._file.close()
        if result is None:
            return
        trial: Dict[str, Any] = {"task": self._task, **self._labels, **asdict(result), "run": str(self.folder)}
        (self.folder / "result.json").write_text(json.dumps(trial, indent=1, default=str) + "\n", encoding="utf-8")

    def story(self) -> str:
        """Why the task went as it did, in sentences."""
        sentences = []
        for event in self._events:
            feedback = event.get("feedback")
            if event.get("kind") == "verdict" and feedback:
                sentences.append(" ".join(filter(None, (feedback["error"], feedback["reason"]))))
            elif event.get("kind") == "correction":
                sentences.append(f"Correction ({event['rung']}): {'; '.join(event['commands']) or event['note']}.")
            elif event.get("kind") == "task_finished":
                sentences.append(str(event["message"]))
        return " ".join(sentences)
