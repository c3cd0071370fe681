"""One real call to each language model of a configuration: ``python3 -m hicrisp_core.llm.try_out NAME``."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Iterator, List, Optional, Sequence, Tuple

from hicrisp_core.config.files import config_file
from hicrisp_core.errors import HicrispError
from hicrisp_core.llm.chat_model import Capabilities, LlmFailure, Message
from hicrisp_core.llm.images import KEY as IMAGES
from hicrisp_core.llm.models import PROBE_LIMIT, Models
from hicrisp_core.llm.settings import BRAIN, EMBEDDED, ROLES, VISION, LlmSettings, is_replay, load_llm_settings
from hicrisp_core.time.deadline import Deadline

_ASK: Tuple[Message, ...] = ({"role": "user", "content": "Name the colour of a ripe tomato, in one word."},)
_RED = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAT0lEQVR42u3PQQkAAAgEsAtx/"
    "fMYywi+hcEKLNO+FgEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQGBywKmQADiT+IBrQAA"
    "AABJRU5ErkJggg==")
"""A red square."""
_LOOK: Tuple[Message, ...] = ({"role": "user", "content": "Name the colour of this picture, in one word.",
                               IMAGES: [_RED]},)
_SHOWN = 60


def try_out(settings: LlmSettings) -> Iterator[Tuple[bool, str]]:
    """Ask each model of a configuration once.

    Args:
        settings: a file of ``config/llm``.

    Yields:
        Whether the model answers, and a line that says so.

    Raises:
        ConfigError: for settings that do not do.
    """
    if settings.offline and not settings.roles:
        yield True, f"{settings.name}: no language model is asked, so there is nothing to try"
        return
    models = Models(settings)
    for roles in _alike(settings):
        model = models.of(roles[0])
        known = models.probe(Deadline(PROBE_LIMIT))
        for found in known:
            yield found.failure is None, found.line
        if all(found.failure is None for found in known):
            asked, who = _LOOK if VISION in roles else _ASK, ", ".join(roles)
            said = model.complete(asked, Deadline(settings.of_role(roles[0]).timeout_s))
            if isinstance(said, LlmFailure):
                yield False, f"{model.name} ({who}) does not answer: {said.message}"
                continue
            words = " ".join(said.text.split())
            shown = words if len(words) <= _SHOWN else f"{words[:_SHOWN]}..."
            yield True, f"{model.name} ({who}) answers {shown!r} in {said.seconds:.1f} s, with " \
                        f"{said.prompt_tokens} tokens asked and {said.completion_tokens} answered"


def probe_endpoints(settings: LlmSettings, deadline: Deadline) -> List[Capabilities]:
    """Ask each endpoint of a configuration once what it can.

    Args:
        settings: with ``probe: false``, with no model or with the embedded one nothing is asked.
        deadline: for all of them together.

    Returns:
        What each can, or why it gives no answer.
    """
    models = Models(settings)
    for roles in _alike(settings):
        if settings.of_role(roles[0]).backend != EMBEDDED:
            models.of(roles[0])
    return models.probe(deadline)


def _alike(settings: LlmSettings) -> List[List[str]]:
    """The roles that ask a model, those with the same one together; all others are the brain's."""
    found = [[BRAIN]] if not settings.offline else []
    for role in ROLES:
        own = settings.of_role(role)
        if own is not settings and not own.offline:
            same = next((group for group in found if settings.of_role(group[0]) == own), None)
            found.append([role]) if same is None else same.append(role)
    return found


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Print a line for each model as JSON.

    Args:
        arguments: the command line; that of the process if ``None``.

    Returns:
        Exit status: 0, 1 if a model does not answer, 2 for a wrong configuration.
    """
    parser = argparse.ArgumentParser(prog="try_out", description=__doc__)
    parser.add_argument("name", help="a file, or the name of one in config/llm")
    name = parser.parse_args(arguments).name
    well = True
    try:
        settings = load_llm_settings(name if is_replay(name) else config_file("llm", name))
        for ok, line in try_out(settings):
            well = well and ok
            sys.stdout.write(json.dumps({"ok": ok, "said": line}) + "\n")
            sys.stdout.flush()
    except HicrispError as error:
        sys.stdout.write(json.dumps({"ok": False, "said": str(error)}) + "\n")
        return 2
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
