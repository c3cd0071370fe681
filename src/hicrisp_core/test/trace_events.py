"""Events of runs that did not happen, for the tests of the trace."""

HOSTILE = "<script>alert('box')</script>"


def corrected_run(task="place the box next to the cylinder"):
    """A run whose placement missed once, was corrected by a repair and the measured deviation, and then held."""
    missed = {
        "level": "low", "kind": "misplaced", "error": "The box is 31 mm from where it should be.",
        "reason": "The arm placed it too far left.", "suggestion": "Aim 31 mm to the right.",
        "deviation": [0.004, 0.031, 0.0], "alternatives": []}
    pick = {"kind": "command", "command": "pick(panda, box)", "text": "pick up box", "target": None,
            "aim": None}
    place = {"kind": "command", "command": "place_next_to(panda, box, cylinder)",
             "text": "place box next to cylinder",
             "target": [0.5, 0.1, 0.03], "aim": [0.5, 0.1, 0.03]}
    good = {"kind": "outcome", "status": "success", "message": ""}
    fine = {"kind": "verdict", "ok": True, "note": "", "feedback": None, "deviation": None}
    entry = {"command": "place box next to cylinder", "error": missed["error"], "attempts": 1}
    told = [
        {"kind": "task_received", "task_id": "20260101-120000-001", "text": task, "policy": "hierarchical",
         "llm": "offline", "scene": "tabletop", "seed": 7},
        {"kind": "plan", "steps": ["pick up box", "place box next to cylinder"], "source": "offline",
         "reasoning": "",
         "from_step": 0},
        {"kind": "picture", "file": "pictures/000.png", "caption": "before"},
        {"kind": "step_started", "index": 0, "text": "pick up box", "action": "pick"},
        {**pick, "purpose": "step", "depth": 0}, good, fine,
        {"kind": "step_finished", "index": 0, "ok": True},
        {"kind": "step_started", "index": 1, "text": "place box next to cylinder", "action": "place_next_to"},
        {**place, "purpose": "step", "depth": 0}, good,
        {"kind": "offset", "key": "panda place_next_to world", "mean": [0.004, 0.031, 0.0],
         "applied": [0.003, 0.025, 0.0], "sigma": [0.01, 0.01, 0.0], "samples": 1},
        {"kind": "verdict", "ok": False, "note": "", "feedback": missed, "deviation": missed["deviation"]},
        {"kind": "stack", "entries": [entry]},
        {"kind": "correction", "rung": "repair", "maker": {"kind": "search", "name": ""},
         "commands": ["pick up box"],
         "note": "it must be held to be placed"},
        {**pick, "purpose": "correction", "depth": 1}, good, fine,
        {**place, "purpose": "retry", "depth": 1, "aim": [0.497, 0.075, 0.03]}, good,
        {**fine, "deviation": [0.001, 0.002, 0.0]},
        {"kind": "stack", "entries": []},
        {"kind": "step_finished", "index": 1, "ok": True},
        {"kind": "task_finished", "success": True, "message": "done", "steps_executed": 4,
         "corrections": {"repair": 1, "offset": 1}, "llm_calls": 0, "tokens": 0, "placement_error_m": 0.0022,
         "first_motion_s": 0.4, "wall_s": 9.5, "sim_s": 30.0, "canceled": False,
         "failures": [{"step": "place box next to cylinder", "level": "low", "kind": "misplaced",
                       "error": missed["error"]}]},
    ]
    return [{**event, "t": 0.5 * index, "sim_t": 1.5 * index} for index, event in enumerate(told)]


def failed_run():
    """A run that was given up with one entry left on the stack."""
    events = corrected_run()[:14]
    left = events[-1]["entries"][0]["error"]
    given_up = {"kind": "correction", "rung": "give_up", "commands": [], "note": "nothing is left to try",
                "t": 8.0}
    return [*events, given_up,
            {"kind": "step_finished", "index": 1, "ok": False, "t": 8.1},
            {"kind": "task_finished", "success": False, "message": left, "steps_executed": 2,
             "corrections": {},
             "failures": [], "llm_calls": 0, "tokens": 0, "wall_s": 8.2, "sim_s": 21.0, "t": 8.2}]
