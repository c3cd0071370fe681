"""`hicrisp memory`: nothing needs to run for it."""

import json

import pytest
from hicrisp_core.memory.store import Store
from hicrisp_nodes.cli.main import main

EXAMPLE = {
    "kind": "example", "domain": "tabletop", "text": "put the box in the bowl",
    "things": {"panda": {"type": "arm"}, "box": {"type": "box"}, "bowl": {"type": "bowl"}},
    "goal": {"end": ["in(box,bowl)"]},
    "steps": [{"action": "pick", "arguments": {"robot": "panda", "item": "box"}}]}
OFFSET = {"kind": "offset", "body": "real", "key": "panda/place/world", "samples": 3, "mean": [0.05, 0],
          "scatter": 0.0}


@pytest.fixture
def hicrisp(tmp_path, capsys):
    def run(*arguments, lines=None):
        if lines is not None:
            (tmp_path / "lines").write_text("\n".join(each if isinstance(each, str) else json.dumps(each)
                                                      for each in lines))
        code = main(["memory", "--file", str(tmp_path / "memory.sqlite"), *arguments])
        told = capsys.readouterr()
        return code, told.out, told.err
    run.lines, run.file = tmp_path / "lines", tmp_path / "memory.sqlite"
    return run


def test_entries_are_taken_in_listed_and_forgotten(hicrisp):
    code, told, _ = hicrisp("import", str(hicrisp.lines), lines=[EXAMPLE, OFFSET])
    assert (code, told) == (0, "2 entries taken in, 0 left out\n")
    _, told, _ = hicrisp("list")
    assert "put the box in the bowl -> in(box,bowl)" in told
    assert "panda/place/world +50.0, +0.0 mm" in told
    assert hicrisp("forget", "e1")[:2] == (0, "1 entry forgotten\n")
    assert "put the box" not in hicrisp("list")[1]
    assert hicrisp("forget", "--all")[:2] == (0, "1 entry forgotten\n")
    assert "nothing is remembered" in hicrisp("list")[1]


def test_an_import_says_line_by_line_what_it_leaves_out(hicrisp):
    code, told, _ = hicrisp("import", str(hicrisp.lines), lines=[
        EXAMPLE, "nonsense", {**EXAMPLE, "steps": [{"action": "fly", "arguments": {}}]},
        {**EXAMPLE, "domain": "../../etc/passwd"}])
    assert code == 0
    assert "1 entry taken in, 3 left out" in told
    assert "line 2: it is no JSON" in told
    assert "line 3: the domain tabletop has no action 'fly'" in told
    assert "line 4: domain: '../../etc/passwd' cannot be a name" in told


def test_an_export_is_what_an_import_takes(hicrisp, tmp_path):
    hicrisp("import", str(hicrisp.lines), lines=[EXAMPLE, OFFSET])
    code, told, _ = hicrisp("export")
    assert code == 0
    assert [json.loads(line)["kind"] for line in told.splitlines()] == ["example", "offset"]
    assert hicrisp("export", str(tmp_path / "all.jsonl"))[0] == 0
    hicrisp("forget", "--all")
    assert "2 entries taken in, 0 left out" in hicrisp("import", str(tmp_path / "all.jsonl"))[1]


def test_the_nearest_tasks_stand_last(hicrisp):
    hicrisp("import", str(hicrisp.lines), lines=[
        EXAMPLE, {**EXAMPLE, "text": "a drink, please"}, {**EXAMPLE, "text": "the box belongs in the bowl"}])
    lines = hicrisp("list", "--like", "put the box in a bowl")[1].splitlines()
    assert "put the box in the bowl" in lines[-1]


def test_a_damaged_file_is_an_error_with_its_name(hicrisp):
    hicrisp.file.write_text("no database " * 500)
    for arguments in (("list",), ("forget", "e1"), ("export",)):
        code, _, error = hicrisp(*arguments)
        assert code == 1
        assert str(hicrisp.file) in error


def test_what_to_forget_must_be_said(hicrisp):
    code, _, error = hicrisp("forget")
    assert code == 2
    assert "--all" in error


def test_a_file_that_is_not_there_is_an_error_or_empty(hicrisp, tmp_path):
    assert hicrisp("import", str(tmp_path / "none"))[0] == 1
    assert hicrisp("list")[0] == 0
    assert not hicrisp.file.exists()


def test_control_characters_do_not_reach_the_terminal(hicrisp):
    hicrisp("import", str(hicrisp.lines), lines=[{**EXAMPLE, "text": "put the box \u001b[2J in the bowl"}])
    assert "\x1b" not in hicrisp("list")[1]
    assert Store(hicrisp.file).file.exists()
