// A run: its head with figures and budget, and its plan with what was tried in each step.

import { closed, enlarged, h, inWords, plain, seconds, sentence, setText, show, unseen, whole } from "./dom.js";
import { LIVE, touches } from "./sections.js";

const SIGNS = {
  waiting: ["○", "waiting"], running: ["▶", "under way"], done: ["✓", "done"], failed: ["✗", "failed"],
  changed: ["■", "stopped for a change"],
};
const EFFECTS = { changed: "the plan changes", kept: "the task goes on as it was", canceled: "the task ends" };
const LEVELS = { full: "nothing is asked", supervised: "what cannot be undone is asked", corrections: "corrections are asked, too",
  reviewed: "plans are asked, too", manual: "every command is asked" };

export class RunPanel {
  // With `control` ({steers, perform, report}) the run can be canceled and paused; a replay has none, but gives the address of
  // a picture with `file`.
  constructor(root, sections, control = null, file = null) {
    this.sections = sections;
    this.control = control;
    this.file = file;
    this.steps = new Map();
    this.title = h("h2", { class: "task" });
    this.badge = h("span", { class: "badge" });
    this.goal = h("p", { class: "goal" });
    this.conditions = h("ul", { class: "soft" });
    this.written = h("details", { class: "conditions" }, h("summary", {}, "Its conditions"), this.conditions);
    this.message = h("p", { class: "message", role: control ? "status" : null });
    this.settings = h("p", { class: "soft small settings" });
    this.injected = h("p", { class: "small injected" });
    this.figures = h("dl", { class: "figures" });
    this.buttons = h("div", { class: "row controls" });
    this.report = h("a", { class: "report", target: "_blank", hidden: true }, "Report with pictures");
    this.plan = h("ol", { class: "steps" });
    this.origin = h("p", { class: "soft small" });
    this.notes = h("ul", { class: "notes soft small" });
    root.append(
      h("section", { class: "card run", "aria-label": "The run" },
        h("div", { class: "head" }, this.title, this.badge), this.goal, this.written, this.message, this.report, this.buttons, this.figures,
        this.settings, this.injected),
      h("section", { class: "card plan", "aria-label": "The plan" }, h("h2", {}, "Plan"), this.origin, this.plan, this.notes));
    if (control) this.addControls();
    sections.listen((names) => this.update(names));
    this.update(new Set(["run", "plan", "goal", "usage"]));
  }

  addControls() {
    const { perform } = this.control;
    const status = () => this.sections.get("status") || {};
    this.cancel = h("button", { type: "button", id: "cancel", onclick: () => this.tell(perform("cancel", { task_id: status().task_id || "" })) }, "Cancel");
    this.pause = h("button", { type: "button", id: "pause", onclick: () => this.tell(perform("pause")) }, "Pause");
    this.resume = h("button", { type: "button", id: "resume", onclick: () => this.tell(perform("resume")) }, "Resume");
    this.autonomy = h("select", { id: "autonomy", onchange: () => this.tell(perform("autonomy", { level: this.autonomy.value })) },
      Object.entries(LEVELS).map(([level, text]) => h("option", { value: level }, `${level}: ${text}`)));
    this.why = h("button", { type: "button", class: "quiet", onclick: () => this.explain() }, "Why?");
    this.said = h("p", { class: "said", role: "status" });
    this.explained = h("p", { class: "explained", hidden: true });
    this.buttons.append(this.cancel, this.pause, this.resume, this.why,
      h("div", { class: "level" }, h("label", { for: "autonomy" }, "Autonomy"), this.autonomy), this.said);
    this.buttons.after(this.explained);
  }

  async tell(answer) {
    setText(this.said, (await answer).message || "");
  }

  async explain() {
    const run = this.sections.get("run") || {};
    const answer = await this.control.perform("explain", { task_id: run.task_id || "" });
    setText(this.explained, answer.message);
    show(this.explained, true);
  }

  update(names) {
    if (touches(names, "run", "goal", "usage", "corrections", "budget", "status", "gate", "doing", "offsets")) this.head();
    if (touches(names, "plan", "run")) this.order();
    const steps = touches(names, "tolerances", "scene") ? [...this.steps.keys()].map((index) => `step:${index}`) : names;
    for (const name of steps) if (name.startsWith("step:")) this.step(name);
    if (touches(names, "said")) {
      const said = this.sections.get("said") || []; // A live page has the talk beside the task.
      const notes = this.control ? said.filter((each) => each.kind === "note").slice(-6) : said;
      this.notes.replaceChildren(...notes.map((each) => h("li", {}, toldLine(each))));
    }
  }

  head() {
    const run = this.sections.get("run");
    const status = this.sections.get("status") || {};
    const own = Boolean(this.control) && run && status.task_id === run.task_id;
    const state = !run ? "" : run.state === "ended" ? run.verdict : own ? status.state : run.state;
    setText(this.title, run ? run.text || "A task" : "No task yet");
    setText(this.badge, inWords(state));
    this.badge.className = `badge ${state || ""}`;
    show(this.badge, Boolean(state));
    if (this.explained && this.explainedFor !== (run || {}).task_id) {
      this.explainedFor = (run || {}).task_id;
      show(this.explained, false);
      setText(this.said, "");
    }
    this.goalLine(this.sections.get("goal"));
    this.messageLine(run, own && status.state === "queued" ? status : {});
    this.figureList(run || {});
    const told = run ? [run.task_id, run.scene && `scene ${run.scene}`, run.seed !== null && run.seed !== undefined && `seed ${run.seed}`,
      run.policy && `policy ${run.policy}`, run.llm] : [];
    setText(this.settings, told.filter(Boolean).join(" · "));
    const faults = ((run || {}).faults || []).map((each) => plain(`${each.fault} ${each.target} ${each.magnitude.map((value) => Number(value.toPrecision(4))).join(", ")}`.trim())
      + ` (${each.count ? `${each.count} ×` : "always"}, ${each.t === null ? "set by the scene" : `after ${seconds(each.t)}`})`);
    setText(this.injected, faults.length ? `Injected: ${faults.join("; ")}. Every other failure is the world's own.`
      : this.control || !run ? "" : "No injected fault is recorded in this run.");
    if (this.control) {
      const ready = this.control.steers();
      const over = !LIVE.has(status.state);
      this.cancel.disabled = !ready || over || (own && run.state === "ended");
      show(this.report, Boolean(own && over && run.state === "ended"));
      if (own) this.report.href = this.control.report(run.task_id);
      const gate = this.sections.get("gate") || {};
      this.autonomy.disabled = !ready;
      this.pause.disabled = !ready || gate.paused;
      this.resume.disabled = !ready || !gate.paused || gate.stopped;
      this.why.disabled = !ready || !run;
      const level = gate.autonomy;
      if (level && document.activeElement !== this.autonomy) this.autonomy.value = level;
    }
  }

  goalLine(goal) {
    const conditions = (goal && goal.conditions) || [];
    show(this.goal, Boolean(goal && (goal.said || goal.state)));
    show(this.written, conditions.length > 0);
    this.conditions.replaceChildren(...conditions.map((each) => h("li", {}, `${each.when}: `, h("code", {}, plain(each.text)))));
    if (!goal) return;
    const seen = { seen: " The detector sees it.", missed: closed(` The detector does not see it${goal.missing ? `: ${plain(goal.missing)}` : ""}`) };
    this.goal.replaceChildren(h("b", {}, "I understand: "), closed(plain(goal.said) || "the steps as they stand"),
      h("span", { class: goal.state === "seen" ? "good" : goal.state === "missed" ? "bad" : "" }, seen[goal.state] || ""));
  }

  messageLine(run, queued) {
    const doing = Object.values(this.sections.get("doing") || {});
    const state = this.control ? (this.sections.get("status") || {}).state : "";
    const words = !run ? "Submit one, or wait for somebody else's." : run.refusal ? run.refusal.text : run.answer ? run.answer
      : run.state === "ended" ? run.message
        : state === "asking" || state === "awaiting_approval" ? "It waits for your answer."
        : queued.message || (run.waiting || (doing.length ? `Now: ${doing.join("; ")}` : run.state === "planning" ? "Thinking …" : ""));
    const offers = run && run.refusal && run.refusal.alternatives.length ? ` Try, for example: ${run.refusal.alternatives.join("; ")}.` : "";
    const left = run && run.not_begun && run.not_begun.length ? ` Never begun: ${run.not_begun.join("; ")}.` : "";
    setText(this.message, plain(sentence(words) + offers + left));
  }

  figureList(run) {
    const usage = this.sections.get("usage") || {};
    const budget = this.control ? this.sections.get("budget") || {} : {};
    const end = run.figures || {};
    const rungs = this.sections.get("corrections") || {};
    const corrections = Object.entries(rungs).filter(([rung]) => rung !== "give_up");
    const offsets = Object.entries(this.sections.get("offsets") || {});
    const figures = [
      ["Time", seconds(end.seconds ?? run.t), (end.seconds ?? run.t) / budget.seconds],
      ...(end.placement_error_m ? [["Placement error", `${(1000 * end.placement_error_m).toFixed(1)} mm`]] : []),
      ["Model calls", whole(end.calls ?? usage.calls ?? 0), (usage.calls || 0) / budget.calls],
      ["Tokens", whole(end.tokens ?? usage.tokens ?? 0), (usage.tokens || 0) / budget.tokens],
      ["Corrections", corrections.map(([rung, count]) => `${rung} ${count}`).join(", ") || "0",
        corrections.reduce((sum, [, count]) => sum + count, 0) / budget.corrections],
      ...offsets.map(([key, each]) => ["Learned offset", `${each.applied.slice(0, 2).map((value) => (1000 * value).toFixed(1)).join(", ")} mm`, NaN,
        `${key}: mean ${millimetres(each.mean)}, sigma ${millimetres(each.sigma)} mm, samples: ${Math.max(1, Math.round(each.samples))}`]),
    ];
    this.figures.replaceChildren(...figures.map(([name, value, part, title]) => h("div", { class: "figure", title },
      h("dt", {}, name), h("dd", {}, value, Number.isFinite(part) && run.t !== undefined
        ? h("progress", { max: 1, value: Math.min(1, part), "aria-label": `${name}: part of the budget` }) : null))));
  }

  order() {
    const plan = this.sections.get("plan");
    const wanted = plan ? plan.steps : [];
    for (const [index, element] of this.steps) {
      if (!wanted.includes(index)) {
        element.remove();
        this.steps.delete(index);
      }
    }
    wanted.forEach((index) => {
      if (!this.steps.has(index)) this.step(`step:${index}`);
    });
    const elements = wanted.map((index) => this.steps.get(index)).filter(Boolean);
    elements.forEach((element, at) => {
      if (this.plan.children[at] !== element) this.plan.insertBefore(element, this.plan.children[at] || null);
    });
    const replans = plan && plan.replans ? `, planned anew ${plan.replans} ${plan.replans === 1 ? "time" : "times"}` : "";
    setText(this.origin, plan && plan.source ? `By ${plan.source}${replans}${plan.reasoning ? `: ${plan.reasoning}` : ""}` : wanted.length ? "" : "No plan yet.");
  }

  step(name) {
    const step = this.sections.get(name);
    const index = Number(name.slice(5));
    if (!step) {
      if (this.steps.has(index)) this.steps.get(index).remove();
      this.steps.delete(index);
      return;
    }
    const [sign, words] = SIGNS[step.state] || SIGNS.waiting;
    const took = step.ended !== null && step.began !== null ? seconds(step.ended - step.began) : "";
    const element = this.steps.get(index) || h("li");
    element.className = `step ${step.state}`;
    element.replaceChildren(
      h("div", { class: "line" }, h("span", { class: "sign", "aria-hidden": "true" }, sign), unseen(`${words}: `),
        h("b", {}, `${index + 1}. ${plain(step.text)}`), step.robot ? h("span", { class: "chip small" }, step.robot) : null,
        step.after.length ? h("span", { class: "soft small" }, `after ${step.after.map((each) => each + 1).join(", ")}`) : null,
        h("span", { class: "took" }, took)),
      ...(step.folded ? [h("p", { class: "soft small" }, `${step.folded} ${step.folded === 1 ? "entry" : "entries"}, folded; the replay and the report have them.`)] : []),
      ...(step.moments.length ? [h("ul", { class: "moments" }, step.moments.map((each) => moment(each, this.sections.get("tolerances") || {}, this.file)))] : []));
    if (!this.steps.has(index)) {
      this.steps.set(index, element);
      this.plan.append(element);
    }
  }
}

const millimetres = (values) => values.map((value) => (1000 * value).toFixed(1)).join(", ");

// What was asked, said, remembered, injected or noted.
export function toldLine(each) {
  if (each.kind === "question") return [h("b", {}, plain(each.text)), ` ${each.reply ? `“${each.reply}”` : "No answer came."}`];
  if (each.kind === "said") return [h("b", {}, `“${plain(each.text)}”`), ` ${each.reply || EFFECTS[each.effect] || ""}`];
  if (each.kind === "approval") return [h("b", {}, each.effect === "yes" ? "Approved: " : "Not approved: "), plain(each.text)];
  if (each.kind === "recalled") return [h("b", {}, "From earlier runs: "), plain(each.text)];
  return each.kind === "note" ? [plain(each.text)] : [h("b", {}, "Injected: "), `${plain(each.text)} ${plain(each.reply) || ""}`];
}

function moment(each, tolerances, file) {
  const pictures = file ? (each.pictures || []).map((taken) => [file(taken.file), taken]).filter(([source]) => source) : [];
  const shown = line(each, tolerances);
  if (pictures.length) {
    shown.append(h("div", { class: "thumbs" }, pictures.map(([source, taken]) => enlarged(source, `${taken.caption}${taken.eye ? " (the robot's camera)" : ""}`))));
  }
  return shown;
}

function line(each, tolerances) {
  if (each.is === "correction") {
    const given = each.rung === "give_up";
    return h("li", { class: "moment correction" },
      h("div", { class: "line" }, h("span", { class: "sign", "aria-hidden": "true" }, given ? "✗" : "↻"),
        h("span", { class: "badge rung" }, given ? "given up" : each.rung), h("span", {}, `by ${each.who}`),
        h("b", {}, plain(each.commands.join(", then ")) || (given ? "" : "try again"))),
      each.why ? h("p", { class: "soft small" }, plain(each.why)) : null);
  }
  if (each.is !== "command") return h("li", { class: "moment soft small" }, plain(each.text));
  const state = each.ok === true ? "good" : each.stopped ? "open" : each.ok === false ? "bad" : "open";
  const purpose = { correction: "correction", retry: "again" }[each.purpose];
  const off = each.deviation;
  const allowed = tolerances[(each.command || "").split("(")[0]];
  return h("li", { class: `moment ${state}` },
    h("div", { class: "line" },
      h("span", { class: "sign", "aria-hidden": "true" }, { good: "✓", bad: "✗", open: "…" }[state]),
      unseen({ good: "worked: ", bad: "failed: ", open: "under way: " }[state]),
      h("span", {}, plain(each.text)), purpose ? h("span", { class: "badge" }, purpose) : null,
      off ? h("span", { class: "deviation", title: `x ${off.x} mm, y ${off.y} mm, z ${off.z} mm` }, `${off.plane.toFixed(1)} mm off${allowed ? `; “${allowed.fact}” allows ${allowed.mm} mm` : ""}`) : null,
      h("span", { class: "took" }, each.seconds === undefined ? "" : seconds(each.seconds))),
    each.claimed && each.claimed.message ? h("p", { class: "soft small" }, `The robot said: ${each.claimed.status}: ${plain(each.claimed.message)}`) : null,
    each.feedback ? feedback(each.feedback) : each.note ? h("p", { class: "soft small" }, plain(each.note)) : null);
}

function feedback(each) {
  const measured = each.measured.map((one) => `${one.name} ${Number(one.value.toPrecision(3))} ${one.unit}`).join(", ");
  return h("dl", { class: "feedback" },
    [["Error", each.error], ["Reason", each.reason], ["Suggestion", each.suggestion], ["Measured", measured],
      ["First cause", (each.cause || "").replaceAll("_", " ")],
      ["Level", `${each.level === "low" ? "action" : "state"} (${each.kind.replaceAll("_", " ")})`]]
      .filter(([, text]) => text).map(([name, text]) => h("div", {}, h("dt", {}, name), h("dd", {}, plain(text)))));
}
