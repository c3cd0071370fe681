"""The instructions of the LIBERO benchmarks are read by the usual interpreter, and their goals only compared."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest
from hicrisp_bench.libero_words import AGREE, CONTRADICTS, WHY, run
from hicrisp_bench.runner import Runner

CONFIG = Path(__file__).resolve().parents[3] / "config"
CONTRADICTED = "KITCHEN_SCENE8_put_both_moka_pots_on_the_stove"
TASK = """(define (problem shop) (:domain robosuite) (:language {instruction})
  (:regions (a (:target shop_table) (:ranges ((0.1 0.2 0.1 0.2))))
            (b (:target shop_table) (:ranges ((0.1 -0.2 0.1 -0.2)))))
  (:fixtures shop_table - table) (:objects clay_bowl_1 clay_bowl_2 - clay_bowl  soap_1 - soap)
  (:init (On clay_bowl_1 shop_table_a) (On clay_bowl_2 shop_table_b) (On soap_1 shop_table_b))
  (:goal (And (On soap_1 clay_bowl_2))))
"""


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    folder = tmp_path / "libero/libero/bddl_files/libero_10_task"
    folder.mkdir(parents=True)
    for name, instruction in (("said", "Pick the soap and place it in the left bowl"),
                              (CONTRADICTED, "Pick the soap and place it in the right bowl"),
                              ("open", "place soap in the bowl")):
        (folder / f"{name}.bddl").write_text(TASK.format(instruction=instruction))
    return tmp_path


def test_each_instruction_is_right_wrong_or_asked_back_and_what_its_file_contradicts_is_counted_apart(
    packages: Path
) -> None:
    options = argparse.Namespace(suites=["libero_10_task"], files=packages, config=CONFIG, every=1, llm="offline",
                                 gguf=None)
    report = run(options, Runner())
    marks = {each["id"].split("/")[1]: each["mark"] for each in report.extra["results"]}
    assert marks == {"said": "right", CONTRADICTED: "wrong", "open": "asked"}
    wrong = {row["class"]: (row["wrong_n"], row["n"]) for row in report.rows}
    assert wrong == {"libero_10_task": (1, 3), AGREE: (0, 2), CONTRADICTS: (1, 1), "all": (1, 3)}
    assert [row["why"] for row in report.sections[0].rows] == [WHY[f"libero_10_task/{CONTRADICTED}"]]
