// What waits for a person: a question about the task, a command that needs leave, a plan to approve or change.

import { h, settled, setText, show } from "./dom.js";
import { touches } from "./sections.js";
import { perform } from "./server.js";

export class Ask {
  constructor(root, sections, steers) {
    this.root = root;
    this.sections = sections;
    this.steers = steers;
    this.shown = "";
    sections.listen((names) => touches(names, "status", "review") && this.update());
  }

  update() {
    const status = this.sections.get("status") || {};
    const asks = status.state === "asking" || status.state === "awaiting_approval";
    const review = this.sections.get("review") || {};
    const plan = status.plan_waits && review.task_id === status.task_id ? review.steps : null;
    const key = asks ? JSON.stringify([status.task_id, status.state, status.message, status.choices, plan, this.steers()]) : "";
    if (key === this.shown) return;
    this.shown = key;
    show(this.root, asks);
    if (!asks) return this.root.replaceChildren();
    const title = plan ? "Approve the plan" : status.state === "asking" ? "The robot asks" : "May it do this?";
    this.root.replaceChildren(h("h2", { id: "ask-title" }, title));
    if (plan) this.plan(status, plan);
    else if (status.state === "asking") this.question(status);
    else this.approval(status);
    this.said = h("p", { class: "said", role: "status" });
    this.root.append(this.said);
    for (const each of this.root.querySelectorAll("button")) if (!this.steers()) each.disabled = true;
  }

  async send(deed, fields) {
    const answer = await perform(deed, fields);
    setText(this.said, answer.message || "");
    return answer;
  }

  question(status) {
    const answer = (text) => this.send("answer", { task_id: status.task_id, answer: text });
    const own = h("input", { id: "own-answer", maxlength: 400, autocomplete: "off" });
    this.root.append(
      h("p", { class: "question", role: "alert" }, status.message),
      h("div", { class: "choices" }, status.choices.map((text, at) => h("button", {
        type: "button", class: "main", onclick: () => answer(String(at + 1)) }, text))),
      h("form", { onsubmit: (event) => {
        event.preventDefault();
        if (own.value.trim()) answer(own.value.trim());
      } }, h("label", { for: "own-answer" }, "Or in your own words"),
      h("div", { class: "row" }, own, h("button", { type: "submit" }, "Answer"))));
  }

  approval(status) {
    const answer = (granted) => this.send("approve", { task_id: status.task_id, granted });
    this.root.append(
      h("p", { class: "question", role: "alert" }, status.message),
      h("div", { class: "row" },
        h("button", { type: "button", class: "main", onclick: () => answer(true) }, "Approve"),
        h("button", { type: "button", onclick: () => answer(false) }, "Refuse")));
  }

  plan(status, steps) {
    const list = h("ol", { class: "editor" });
    const run = h("button", { type: "button", class: "main" }, "Run this plan");
    const lines = () => [...list.querySelectorAll("input")].map((input) => input.value);
    const check = settled(250, async () => {
      const asked = lines();
      const answer = await perform("check", { task_id: status.task_id, granted: false, steps: asked });
      if (JSON.stringify(asked) !== JSON.stringify(lines())) return;
      const problems = answer.problems || [];
      [...list.children].forEach((row, at) => {
        const why = problems[at] || "";
        setText(row.querySelector(".problem"), why);
        row.querySelector("input").setAttribute("aria-invalid", why ? "true" : "false");
      });
      run.disabled = !this.steers() || !asked.length || problems.some((why) => why);
    });
    const move = (row, by) => {
      const other = by < 0 ? row.previousElementSibling : row.nextElementSibling;
      if (!other) return;
      if (by < 0) other.before(row);
      else other.after(row);
      number();
      row.querySelector(by < 0 ? ".up" : ".down").focus();
    };
    const number = () => {
      [...list.children].forEach((row, at) => {
        row.querySelector("input").setAttribute("aria-label", `Step ${at + 1}`);
        for (const [kind, word] of [["up", "earlier"], ["down", "later"], ["away", "away"]]) {
          row.querySelector(`.${kind}`).setAttribute("aria-label", kind === "away" ? `Remove step ${at + 1}` : `Move step ${at + 1} ${word}`);
        }
      });
      check();
    };
    const rowOf = (text) => {
      const problem = h("p", { class: "problem", id: `problem-${Math.random().toString(36).slice(2)}` });
      const row = h("li", {}, h("div", { class: "row" },
        h("input", { value: text, autocomplete: "off", maxlength: 400, "aria-describedby": problem.id, oninput: check }),
        h("button", { type: "button", class: "quiet up", onclick: () => move(row, -1) }, "↑"),
        h("button", { type: "button", class: "quiet down", onclick: () => move(row, 1) }, "↓"),
        h("button", { type: "button", class: "quiet away", onclick: () => { row.remove(); number(); } }, "✕")), problem);
      return row;
    };
    list.append(...steps.map((step) => rowOf(step.text)));
    const same = () => JSON.stringify(lines()) === JSON.stringify(steps.map((step) => step.text));
    const answer = (granted) => this.send("review", { task_id: status.task_id, granted, steps: granted && !same() ? lines() : [] });
    run.addEventListener("click", () => answer(true));
    this.root.append(
      h("p", { class: "soft", role: "alert" }, "Remove, reorder or edit steps; each line is checked as you type."),
      list,
      h("div", { class: "row" }, run,
        h("button", { type: "button", onclick: () => answer(false) }, "Refuse"),
        h("button", { type: "button", class: "quiet", onclick: () => {
          const row = rowOf("");
          list.append(row);
          number();
          row.querySelector("input").focus();
        } }, "Add a step")));
    number();
  }
}
