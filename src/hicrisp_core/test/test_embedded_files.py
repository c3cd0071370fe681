"""The embedded model's files: what is missing is said, what does not fit is refused."""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path
from typing import Dict, Union

import pytest
from hicrisp_core.errors import ConfigError
from hicrisp_core.llm.embedded_files import BASE_KEY, check_fit, model_files, read_header, what_is_missing


def gguf(entries: Dict[str, Union[str, float]]) -> bytes:
    """The head of a file with texts and numbers, and a list that is skipped."""

    def text(value: str) -> bytes:
        return struct.pack("<Q", len(value.encode())) + value.encode()

    body = b""
    for key, value in entries.items():
        body += text(key) + (
            struct.pack("<I", 8) + text(value) if isinstance(value, str) else struct.pack("<If", 6, value)
        )
    body += text("tokens") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("b")
    body += text("scores") + struct.pack("<IIQ", 9, 6, 3) + struct.pack("<fff", 1, 2, 3)
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(entries) + 2) + body


def test_a_head_is_read_without_its_lists(tmp_path: Path) -> None:
    file = tmp_path / "a.gguf"
    file.write_bytes(gguf({"general.type": "adapter", "adapter.lora.alpha": 64.0}))
    assert read_header(file) == {"general.type": "adapter", "adapter.lora.alpha": 64.0}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"GGUF",
        b"NOPE" + bytes(40),
        gguf({"general.type": "adapter"})[:45],
        b"GGUF" + struct.pack("<IQQ", 3, 0, 1 << 40),
    ],
)
def test_what_is_no_gguf_or_cut_off_is_a_clear_refusal(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "a.gguf"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=r"a\.gguf"):
        read_header(file)


def test_an_adapter_of_another_base_is_refused_with_what_to_do(tmp_path: Path) -> None:
    base, adapter = tmp_path / "base.gguf", tmp_path / "goals.gguf"
    base.write_bytes(b"weights")
    adapter.write_bytes(gguf({"general.type": "adapter", BASE_KEY: "0" * 64}))
    with pytest.raises(ConfigError) as refused:
        check_fit(base, adapter)
    assert "goals.gguf" in str(refused.value)
    assert "base.gguf" in str(refused.value)
    adapter.write_bytes(gguf({"general.type": "adapter", BASE_KEY: hashlib.sha256(b"weights").hexdigest()}))
    check_fit(base, adapter)
    adapter.write_bytes(gguf({"general.type": "model"}))
    with pytest.raises(ConfigError, match="no adapter"):
        check_fit(base, adapter)


def test_files_are_found_by_path(tmp_path: Path) -> None:
    base = tmp_path / "base.gguf"
    base.write_bytes(b"weights")
    assert model_files("", str(base), "").base == base
    with pytest.raises(ConfigError, match="no model file"):
        model_files("", str(tmp_path / "none.gguf"), "")
    with pytest.raises(ConfigError, match="not installed"):
        model_files("a_package_that_nobody_has", "*.gguf", "")


def test_a_missing_wheel_or_adapter_is_one_line() -> None:
    said = what_is_missing("a_package_that_nobody_has", "")
    assert "a_package_that_nobody_has" in said
    assert "\n" not in said
