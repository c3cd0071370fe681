// What waits for a person: a question about the task, a command that needs leave, a plan to approve or change.

import { h, plain, settled, setText, show } from "./dom.js";
import { touches } from "./sections.js";
import { headers, perform } from "./server.js";

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
    const title = !asks ? "" : plan ? "Approve the plan" : status.state === "asking" ? "The robot asks" : "May it do this?";
    document.title = asks ? `(?) ${title} – HiCRISP` : "HiCRISP";
    show(this.root, asks);
    if (!asks) return this.root.replaceChildren();
    this.root.replaceChildren(h("h2", { id: "ask-title" }, title));
    if (plan) this.plan(status, plan, review.goal);
    else if (status.state === "asking") this.question(status);
    else this.approval(status);
    this.said = h("p", { class: "said", role: "status" });
    this.root.append(this.said);
    for (const each of this.root.querySelectorAll("button")) if (!this.steers()) each.disabled = true;
  }

  async send(action, fields) {
    const answer = await perform(action, fields);
    setText(this.said, answer.message || "");
    return answer;
  }

  question(status) {
    const answer = (text) => this.send("answer", { task_id: status.task_id, answer: text });
    const own = h("input", { id: "own-answer", maxlength: 400, autocomplete: "off" });
    this.root.append(
      h("p", { class: "question", role: "alert" }, plain(status.message)),
      h("div", { class: "choices" }, status.choices.map((text, at) => {
        const button = h("button", { type: "button", class: "main", onclick: () => answer(String(at + 1)) }, plain(text));
        this.picture(button, text);
        return button;
      })),
      h("form", { onsubmit: (event) => {
        event.preventDefault();
        if (own.value.trim()) answer(own.value.trim());
      } }, h("label", { for: "own-answer" }, "Or in your own words"),
      h("div", { class: "row" }, own, h("button", { type: "submit" }, "Answer"))));
  }

  async picture(button, text) { // What the camera shows of the object that is meant; nothing where it shows none.
    if (!this.steers()) return;
    const answer = await fetch(`/api/camera?of=${encodeURIComponent(text)}`, { headers: headers() }).catch(() => null);
    if (!answer || answer.status !== 200) return;
    const image = h("img", { alt: "", src: URL.createObjectURL(await answer.blob()) });
    image.addEventListener("load", () => URL.revokeObjectURL(image.src));
    button.prepend(image);
  }

  approval(status) {
    const answer = (granted) => this.send("approve", { task_id: status.task_id, granted });
    this.root.append(
      h("p", { class: "question", role: "alert" }, plain(status.message)),
      h("div", { class: "row" },
        h("button", { type: "button", class: "main", onclick: () => answer(true) }, "Approve"),
        h("button", { type: "button", onclick: () => answer(false) }, "Refuse")));
  }

  plan(status, steps, goal) {
    const list = h("ol", { class: "editor" });
    const warning = h("p", { class: "missed", role: "alert" });
    const run = h("button", { type: "button", class: "main" }, "Run this plan");
    const written = new Map(steps.map((step) => [plain(step.text), step.text])); // What is left as it is goes back as it came.
    const lines = () => [...list.querySelectorAll("input")].map((input) => written.get(input.value) || input.value);
    const check = settled(250, async () => {
      const asked = lines();
      const answer = await perform("check", { task_id: status.task_id, granted: false, steps: asked });
      if (JSON.stringify(asked) !== JSON.stringify(lines())) return;
      const problems = answer.problems || [];
      setText(warning, answer.warning || "");
      [...list.children].forEach((row, at) => {
        const why = problems[at] || "";
        setText(row.querySelector(".problem"), why);
        const reading = (answer.readings || [])[at];
        setText(row.querySelector(".reading"), reading ? `Read as ${plain(reading)}` : "");
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
      const [reading, problem] = ["reading", "problem"].map((kind) => h("p", { class: kind, id: `${kind}-${Math.random().toString(36).slice(2)}` }));
      const row = h("li", {}, h("div", { class: "row" },
        h("input", { value: text, autocomplete: "off", maxlength: 400, "aria-describedby": `${reading.id} ${problem.id}`, oninput: check }),
        h("button", { type: "button", class: "quiet up", onclick: () => move(row, -1) }, "↑"),
        h("button", { type: "button", class: "quiet down", onclick: () => move(row, 1) }, "↓"),
        h("button", { type: "button", class: "quiet away", onclick: () => { row.remove(); number(); } }, "✕")), reading, problem);
      return row;
    };
    list.append(...steps.map((step) => rowOf(plain(step.text))));
    const same = () => JSON.stringify(lines()) === JSON.stringify(steps.map((step) => step.text));
    const answer = (granted) => this.send("review", { task_id: status.task_id, granted, steps: granted && !same() ? lines() : [] });
    run.addEventListener("click", () => answer(true));
    this.root.append(
      ...(goal ? [h("p", { class: "goal" }, h("b", {}, "The goal: "), plain(goal))] : []),
      h("p", { class: "soft", role: "alert" }, "Remove, reorder or edit steps; each line is checked as you type."),
      list, warning,
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
