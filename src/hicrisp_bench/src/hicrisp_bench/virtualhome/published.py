"""What HiCRISP (Table I) and BrainBody-LLM (Tables 1 to 3) print of the ten household tasks."""

from __future__ import annotations

from typing import List, Optional, Tuple

from hicrisp_bench.suite import Row

Figure = Tuple[Optional[float], Optional[float]]
"""A mean and its spread; ``None`` where nothing is printed."""
NO_FEEDBACK = "brainbody_no_feedback"
HICRISP = "HiCRISP (Ming et al.), Table I"
_NOT_COMPARABLE = ("the mean of two runs; its PSR and precision were scored against another task's ground truth "
                   "and are not comparable")
_TABLE_I = (
    ("chips", 6, ((.12, .05), (1, 0), (.71, 0)), ((.33, .17), (1, 0), (.71, 0))),
    ("salmon", 7, ((0, 0), (.99, 0), (.80, 0)), ((0, 0), (.99, 0), (.90, 0))),
    ("tv", 6, ((.63, 0), (1, 0), (.89, 0)), ((.73, .10), (1, 0), (1, 0))),
    ("plate", 10.5, ((0, 0), (1, 0), (.96, 0)), ((0, 0), (1, 0), (1, 0))),
    ("coffeepot", 8, ((0, 0), (.99, 0), (.71, 0)), ((0, 0), (.99, 0), (.71, 0))),
    ("microwave", 11.5, ((0, 0), (1, 0), (.80, 0)), ((0, 0), (.99, .01), (.87, 0))),
    ("light", 3, ((0, 0), (1, 0), (.67, 0)), ((0, 0), (.99, 0), (1, 0))),
    ("teeth", 11, ((.17, 0), (1, 0), (.77, 0)), ((.18, 0), (1, 0), (.82, 0))),
    ("apple", 5, ((0, 0), (1, 0), (1, 0)), ((0, 0), (1, 0), (1, 0))),
    ("toast", 10, ((.16, 0), (.94, 0), (.75, 0)), ((.15, 0), (.94, 0), (.75, 0))),
)
"""Task, actions of the plan, then PSR, precision and Exec of ProgPrompt and of HiCRISP."""
_TABLE_1: Tuple[Tuple[str, str, Figure, Figure], ...] = (
    ("huang2022", "gpt-3", (.00, .00), (.21, .03)),
    ("progprompt", "gpt-3", (.34, .08), (.65, .05)),
    ("progprompt", "davinci-003", (.47, None), (.74, .07)),
    ("progprompt", "gpt-4", (.37, None), (.64, None)),
    ("base_llm", "palm-2", (.30, .00), (.60, .07)),
    ("base_llm", "gpt-3.5", (.16, .05), (.59, .01)),
    (NO_FEEDBACK, "palm-2", (.30, .08), (.54, .13)),
    (NO_FEEDBACK, "gpt-3.5", (.26, .15), (.69, .09)),
    (NO_FEEDBACK, "gpt-4", (.38, .13), (.73, .07)),
    ("brainbody", "palm-2", (.40, .00), (.55, .01)),
    ("brainbody", "gpt-3.5", (.36, .18), (.70, .05)),
    ("brainbody", "gpt-4", (.54, .09), (.81, .04)),
)
"""Policy, model, success rate and goal conditions recall over all ten tasks."""
_TABLE_2 = (
    ("coffeepot", (0, .08, .36), (0, .31, 1), (1, 1, .50)), ("teeth", (1, 1, 1), (0, .28, .43), (1, 1, .50)),
    ("chips", (0, .08, .75), (0, .96, .88), (1, 1, .75)), ("toast", (0, .98, .38), (1, 1, .57), (1, 1, .42)),
    ("microwave", (1, 1, .90), (0, .84, .69), (0, .90, .89)), ("salmon", (1, 1, 1), (1, 1, .88), (1, 1, .88)),
    ("apple", (0, .16, .75), (1, 1, .82), (0, .16, .57)), ("light", (1, 1, 1), (1, 1, 1), (1, 1, .75)),
    ("plate", (0, .16, 1), (0, .13, .54), (0, .10, .91)), ("tv", (0, 0, .67), (1, 1, .80), (1, 1, .80)),
)
"""Task, then SR, GCR and EXEC of BrainBody-LLM with each of the models."""
_MODELS = ("palm-2", "gpt-3.5", "gpt-4")
TABLE_3 = (
    ("Put toothpaste on the toothbrush", "putin toothpaste toothbrush", "put toothbrush toothpaste"),
    ("Close the fridge", "close fridge", "switchoff fridge"),
    ("Wait for the toast to be ready", "pass", "drink toaster"),
)
"""A step in words, the Body-LLM's command for it, and the one by the nearest embedding."""


def reference() -> List[Row]:
    """List the published figures of all tables as rows.

    Returns:
        Rows of Table I, then of Tables 1 and 2; spreads end in ``_sd``.
    """
    rows: List[Row] = []
    for task, actions, *both in _TABLE_I:
        rows += [{"source": HICRISP, "task": task, "policy": policy, "llm": "gpt-3.5", "actions": actions,
                  **_spread("psr", psr), **_spread("precision", precision), **_spread("exec", executed),
                  "note": _NOT_COMPARABLE}
                 for policy, (psr, precision, executed) in zip(("progprompt", "hicrisp"), both)]
    rows += [{"source": "BrainBody-LLM (Bhat et al.), Table 1", "task": "all", "policy": policy, "llm": llm,
              **_spread("sr", sr), **_spread("gcr", gcr)} for policy, llm, sr, gcr in _TABLE_1]
    rows += [{"source": "BrainBody-LLM (Bhat et al.), Table 2", "task": task, "policy": "brainbody", "llm": llm,
              "sr": sr, "gcr": gcr, "exec": executed}
             for task, *each in _TABLE_2 for llm, (sr, gcr, executed) in zip(_MODELS, each)]
    return rows


def _spread(name: str, figure: Figure) -> Row:
    return {name: figure[0], f"{name}_sd": figure[1]}
