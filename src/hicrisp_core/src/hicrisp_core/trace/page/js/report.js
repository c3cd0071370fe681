// The report: a run's replay in a page of its own, with everything in it.

import { $, changesTheme } from "./dom.js";
import { Replay } from "./replay.js";

const told = JSON.parse($("run").textContent);
changesTheme($("theme"));
new Replay($("replay"), () => ({ part: async () => told.part, file: (name) => told.files[name] }), true).open(told.id);
