"""Pictures in a conversation: data URIs in a message's ``images``, which go to the endpoint and into no record."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import Any, Dict, List, Mapping, Sequence

from hicrisp_core.llm.chat_model import Message

KEY = "images"
MOST_IMAGES, MOST_BYTES = 8, 200_000
"""Of a question, and of each of its pictures as it is sent."""
_FORM = re.compile(r"data:image/(jpeg|png);base64,[A-Za-z0-9+/]+=*")


def data_uri(jpeg: bytes) -> str:
    """Return a picture as messages carry it.

    Args:
        jpeg: the file's bytes.

    Returns:
        The data URI.
    """
    return f"data:image/jpeg;base64,{base64.b64encode(jpeg).decode()}"


def images_in(messages: Sequence[Message]) -> List[str]:
    """Return the pictures of a conversation.

    Args:
        messages: the conversation, oldest first.

    Returns:
        Data URIs, oldest first.
    """
    return [image for message in messages for image in message.get(KEY, ())]


def misfit(messages: Sequence[Message]) -> str:
    """Check that the pictures of a conversation may be sent.

    Args:
        messages: the conversation, oldest first.

    Returns:
        What is wrong with them; empty if nothing is.
    """
    images = images_in(messages)
    if len(images) > MOST_IMAGES:
        return f"a question may have {MOST_IMAGES} pictures, and this one has {len(images)}"
    large = max(map(len, images), default=0)
    if large > MOST_BYTES:
        return f"a picture may have {MOST_BYTES // 1000} kB as it is sent, and one has {large // 1000}; make it smaller"
    if not all(map(_FORM.fullmatch, images)):
        return "a picture is a JPEG or PNG file as a data URI, 'data:image/jpeg;base64,...'"
    return ""


def words_of(message: Message) -> Dict[str, Any]:
    """Return a message without its pictures.

    Args:
        message: with its pictures, if it has any.

    Returns:
        JSON values.
    """
    return {key: value for key, value in message.items() if key != KEY}


def as_parts(message: Message) -> Dict[str, Any]:
    """Return a message as chat completions take it.

    Args:
        message: with its pictures, if it has any.

    Returns:
        JSON values: words alone stay a text, pictures follow the words as parts.
    """
    sent = words_of(message)
    if message.get(KEY):
        sent["content"] = [{"type": "text", "text": message["content"]},
                           *({"type": "image_url", "image_url": {"url": image}} for image in message[KEY])]
    return sent


def for_record(message: Message) -> Mapping[str, str]:
    """Return a message for a record: what its pictures were, without them.

    Args:
        message: with its pictures, if it has any.

    Returns:
        Texts.
    """
    told = words_of(message)
    if message.get(KEY):
        told[KEY] = ", ".join(f"{len(each) // 1000} kB, sha256 {hashlib.sha256(each.encode()).hexdigest()[:12]}"
                              for each in message[KEY])
    return told
