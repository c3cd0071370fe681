"""The memory's file: whatever is wrong with it, a task goes on without it and is told why."""

import sqlite3

import pytest
from hicrisp_core.memory import tables
from hicrisp_core.memory.store import VERSION, Store, Trouble
from hicrisp_core.model import Task
from memory_helpers import correction, example, filled, memory_of, offset
from tabletop import table_top

WORLD = table_top({"box": "box", "bowl": "bowl"})
TASK = Task("put the box in the bowl")


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "memory.sqlite", patience=0.05)


def test_what_was_written_is_there_when_the_file_is_opened_again(store, domain):
    filled(store, domain, example(), correction(), offset())
    found = Store(store.file).read(tables.everything, ())
    assert [each.id for each in found] == ["e1", "c1", "o1"]


def test_a_file_that_is_not_there_yet_holds_nothing_and_is_not_made_by_reading(store, domain):
    assert memory_of(store, domain).examples(TASK, WORLD) == ()
    assert not store.file.exists()


def test_the_same_again_is_one_entry_that_happened_more_often(store, domain):
    filled(store, domain, example(), example("Put the  box in the bowl"), example("another"))
    entries = store.read(lambda file: tables.examples(file, "tabletop"), ())
    assert sorted(each.times for each in entries) == [1, 2]


def _text(file):
    file.write_text("this is no database " * 100)


def _cut(file):
    file.write_bytes(file.read_bytes()[:5000])


def _newer(file):
    with sqlite3.connect(file) as connection:
        connection.execute("PRAGMA user_version = 99")


def _folder(file):
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize("harm", [_text, _cut, _newer, _folder])
def test_a_damaged_file_offers_nothing_says_so_once_and_stays_as_it_is(store, domain, harm):
    filled(store, domain,
           *(example(f"put the box in the bowl {n}") for n in range(50)), correction(), offset())
    harm(store.file)
    before = store.file.read_bytes() if store.file.is_file() else b""
    memory = memory_of(store, domain)
    assert memory.examples(TASK, WORLD) == ()
    assert str(store.file) in memory.complaint()
    assert memory.complaint() == ""
    assert isinstance(store.write(lambda file: tables.forget(file, ["e1"])), Trouble)
    assert before == (store.file.read_bytes() if store.file.is_file() else b"")


def test_a_file_that_another_process_writes_is_not_waited_for(store, domain):
    filled(store, domain, example())
    other = sqlite3.connect(store.file, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    assert "locked" in store.write(lambda file: tables.forget(file, ["e1"])).message
    assert isinstance(store.read(tables.everything, ()), Trouble)
    other.execute("ROLLBACK")
    assert len(store.read(tables.everything, ())) == 1
    other.close()


def test_a_folder_that_takes_no_file_costs_no_task(domain, tmp_path):
    (tmp_path / "file").write_text("")
    memory = memory_of(Store(tmp_path / "file" / "memory.sqlite"), domain)
    assert memory.examples(TASK, WORLD) == ()
    assert isinstance(Store(tmp_path / "file" / "memory.sqlite").write(lambda _: None), Trouble)


def test_a_full_file_takes_no_more_and_loses_nothing(domain, tmp_path):
    store = Store(tmp_path / "memory.sqlite", limit_mb=0.06)
    filled(store, domain, example())
    long = {f"box_{number}": {"type": "box", "attributes": {"colour": "x" * 100}} for number in range(50)}
    answers = [store.write(lambda file, n=number: tables.put(file, _entry(example(f"task {n}", things={
        **example()["things"], **long})))) for number in range(20)]
    assert isinstance(answers[-1], Trouble)
    kept = store.read(lambda file: tables.examples(file, "tabletop"), ())
    assert "e1" in [each.id for each in kept]
    assert len(kept) == 1 + sum(not isinstance(each, Trouble) for each in answers)


def _entry(record):
    from hicrisp_core.memory.entries import entry_of
    return entry_of(record)


def test_what_fails_half_way_is_not_written_at_all(store, domain):
    filled(store, domain, example())

    def work(file):
        tables.forget(file, ["e1"])
        raise sqlite3.OperationalError("disk I/O error")

    assert isinstance(store.write(work), Trouble)
    assert len(store.read(tables.everything, ())) == 1


def test_a_file_of_the_first_version_keeps_its_entries_and_gains_the_rest(store, domain, monkeypatch):
    with monkeypatch.context() as earlier:
        earlier.setattr("hicrisp_core.memory.store.VERSION", 1)
        store.write(lambda file: tables.put(file, _entry(example())))
    assert [each.id for each in store.read(tables.everything, ())] == ["e1"]
    assert _version(store) == 1
    filled(store, domain, offset())
    assert _version(store) == VERSION
    assert [each.id for each in store.read(tables.everything, ())] == ["e1", "o1"]


def _version(store):
    with sqlite3.connect(store.file) as connection:
        return connection.execute("PRAGMA user_version").fetchone()[0]


def test_the_oldest_are_forgotten_when_there_are_too_many(store, domain, monkeypatch):
    monkeypatch.setattr(tables, "MOST_EXAMPLES", 3)
    filled(store, domain, *(example(f"task {n}", source={"when": n}) for n in (5, 1, 4, 2, 3)))
    entries = store.read(lambda file: tables.examples(file, "tabletop"), ())
    assert [each.entry.text for each in entries] == ["task 5", "task 4", "task 3"]


@pytest.mark.parametrize("id_", ["", "e", "x1", "e1; DROP TABLE examples", "e-1", "e" + "9" * 40, "e²"])
def test_an_id_that_is_none_forgets_nothing(store, domain, id_):
    filled(store, domain, example())
    assert store.write(lambda file: tables.forget(file, [id_])) == 0
    assert len(store.read(tables.everything, ())) == 1
