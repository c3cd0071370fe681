"""What the house promises to those who live in it."""

import ast
from collections import Counter
from pathlib import Path

CORE = Path(__file__).resolve().parents[1] / "src" / "hicrisp_core"


def test_no_two_public_classes_of_the_core_have_one_name():
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in CORE.rglob("*.py")]
    names = Counter(node.name for tree in trees for node in tree.body
                    if isinstance(node, ast.ClassDef) and not node.name.startswith("_"))
    assert [name for name, count in names.items() if count > 1] == []
