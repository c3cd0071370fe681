"""Export and import: JSON lines, each checked by itself, and what was left out is told with its reason."""

import json

import pytest
from hicrisp_core.memory import tables
from hicrisp_core.memory.store import Store
from hicrisp_core.memory.transfer import lines_of, read_lines, take_in
from memory_helpers import NOW, correction, example, filled, offset, step


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "memory.sqlite")


def test_an_export_taken_in_elsewhere_is_the_same(store, domain, tmp_path):
    filled(store, domain, example(source={"run": "r1", "when": NOW, "policy": "hierarchical"}), example(),
           correction(),
           offset())
    lines = list(lines_of(store.read(tables.everything, ())))
    other = Store(tmp_path / "other.sqlite")
    entries, left_out = read_lines(lines, lambda _: domain)
    other.write(lambda file: take_in(file, entries))
    assert left_out == ()
    assert list(lines_of(other.read(tables.everything, ()))) == lines


@pytest.mark.parametrize(("line", "why"), [
    ("{", "no JSON"),
    ("[1]", "JSON object"),
    ("[" * 100_000, "no JSON"),
    (json.dumps({"kind": "secret"}), "'kind' must be one of"),
    (json.dumps(example("")), "'text' is empty"),
    (json.dumps(example("x" * 500)), "at most 400"),
    (json.dumps(example(text=["a"])), "text: Input should be a valid string"),
    (json.dumps(example(steps=[])), "steps: Tuple should have at least 1 item"),
    (json.dumps(example(steps=[step("fly", robot="panda")])), "no action 'fly'"),
    (json.dumps(example(steps=[step("pick", item="knife")])), "names 'knife'"),
    (json.dumps(example(steps=[step("pick", speed="box")])), "no parameter 'speed'"),
    (json.dumps(example(steps=[{"action": "pick", "arguments": {"item": {"a": 1}}}])),
     "steps.0.arguments.item: Input should be a valid string"),
    (json.dumps(example(goal={"end": ["in(box"]})), "cannot be read"),
    (json.dumps(example(goal={"end": ["in(knife,bowl)"]})), "the goal names 'knife'"),
    (json.dumps(example(goal={"end": ["sold(box)"]})), "no predicate 'sold'"),
    (json.dumps(example(domain="moon")), "no domain 'moon'"),
    (json.dumps(example(things={"box\n": {"type": "box"}})), "cannot be a name"),
    (json.dumps(example(source={"when": "now"})), "source.when: Input should be a valid number"),
    (json.dumps(correction(failure={"kind": "bored", "command": step("pick")})), "no kind of failure"),
    (json.dumps(correction(instead="yes")), "instead: Input should be a valid boolean"),
    (json.dumps(offset(float("nan"))), "mean.0: Input should be"),
    (json.dumps(offset(7.0)), "mean.0: Input should be less than or equal to 0.2"),
    (json.dumps(offset(samples=True)), "samples: Input should be a valid number"),
    (json.dumps(offset(scatter=-1)), "scatter: Input should be greater than or equal to 0")])
def test_a_line_that_does_not_fit_is_left_out_with_its_number_and_why(domain, line, why):
    entries, left_out = read_lines([json.dumps(example()), "", line, json.dumps(offset())],
                                   lambda name: domain if name == "tabletop" else None)
    assert len(entries) == 2
    assert [each.line for each in left_out] == [3]
    assert why in left_out[0].why


@pytest.mark.parametrize(("when", "mean"), [(NOW - 1, 0.05), (NOW + 1, 0.01)])
def test_of_an_offset_the_one_that_was_measured_last_stays(store, domain, when, mean):
    filled(store, domain, offset(0.05), offset(0.01, when=when))
    (found,) = store.read(tables.offsets, ())
    assert found.entry.estimate.mean == (mean, 0.0)
