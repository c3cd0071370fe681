// Submitting a task: examples, what its words mean while they are typed, the queue, and remarks while it runs.

import { $, h, setText, settled, show } from "./dom.js";
import { touches } from "./sections.js";
import { perform } from "./server.js";

const EFFECTS = { changed: "the plan changes", kept: "the task goes on as it was", canceled: "the task ends" };

const PAUSE = 700; // Milliseconds without typing after which the brain is asked.
const ENOUGH = 3; // Words from which on it is worth asking.

export class TaskForm {
  constructor(sections, steers) {
    this.sections = sections;
    this.steers = steers;
    this.asked = 0;
    this.later = settled(PAUSE, (task, number) => this.think(task, number));
    $("task-form").addEventListener("submit", (event) => this.submit(event));
    $("task").addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey) this.submit(event);
    });
    $("task").addEventListener("input", settled(250, () => this.read()));
    $("tell-form").addEventListener("submit", (event) => this.tell(event));
    sections.listen((names) => this.update(names));
  }

  async submit(event) {
    event.preventDefault();
    const task = $("task").value.trim();
    if (!task) return $("task").focus();
    setText($("submit-said"), "…");
    this.asked += 1; // What is being read is out of date.
    const said = await perform("submit", { task });
    setText($("submit-said"), said.ok ? `Taken: ${said.message}.` : said.message);
    if (said.ok) {
      $("task").value = "";
      setText($("read"), "");
    }
  }

  async read() {
    const task = $("task").value.trim();
    const number = ++this.asked;
    const said = task && this.steers() ? await perform("read", { task }) : {};
    if (number !== this.asked) return;
    const unread = task && said.message === "" && !said.ok;
    if (unread && task.split(/\s+/).length >= ENOUGH) this.later(task, number);
    else this.later(null, number);
    setText($("read"), unread ? "The grammar alone cannot read this; the brain will try." : meaning(said));
  }

  // What the brain itself makes of it, once nobody has typed for a while.
  async think(task, number) {
    if (!task || number !== this.asked) return;
    setText($("read"), "The grammar alone cannot read this; the brain reads it …");
    const said = await perform("understand", { task });
    if (number !== this.asked) return;
    setText($("read"), meaning(said) || "The grammar alone cannot read this; the brain will try when you submit it.");
  }

  async tell(event) {
    event.preventDefault();
    const text = $("tell").value.trim();
    if (!text) return;
    const said = await perform("tell", { task_id: "", text });
    setText($("tell-said"), said.message);
    if (said.ok) $("tell").value = "";
  }

  update(names) {
    if (touches(names, "examples", "status")) this.showExamples();
    if (touches(names, "queue", "status")) this.showQueue();
    if (touches(names, "said")) this.showTalk();
    const ready = this.steers();
    $("submit").disabled = !ready;
    for (const button of document.querySelectorAll("#tell-form button, .queue button")) button.disabled = !ready;
  }

  showExamples() {
    const found = this.sections.get("examples") || [];
    const key = JSON.stringify(found);
    if (this.shown === key) return;
    this.shown = key;
    $("examples").replaceChildren(...found.map((text) => h("li", {}, h("button", {
      type: "button", class: "chip",
      onclick: () => {
        $("task").value = text;
        $("task").focus();
        this.read();
      },
    }, text))));
  }

  showQueue() {
    const queue = this.sections.get("queue") || [];
    show($("queue-empty"), !queue.length);
    $("queue").replaceChildren(...queue.map((each) => h("li", {}, h("span", {}, each.text || each.task_id),
      h("button", { type: "button", class: "quiet", "aria-label": `Cancel ${each.text}`,
        onclick: () => perform("cancel", { task_id: each.task_id }) }, "Cancel"))));
  }

  showTalk() {
    const told = (this.sections.get("said") || []).filter((each) => each.kind !== "note").slice(-8);
    $("talk").replaceChildren(...told.map((each) => h("li", { class: each.kind }, line(each))));
  }
}

function meaning(said) {
  if (said.question) return `I would ask: ${said.question} ${(said.choices || []).join(", ")}`.trim();
  if (said.refusal) return said.refusal;
  if (said.answer) return said.answer;
  if (said.goal) return `I understand: ${said.goal}`;
  return said.steps ? `I would: ${said.steps.join(", then ")}` : "";
}

function line(each) {
  if (each.kind === "question") return [h("b", {}, each.text), ` ${each.reply ? `“${each.reply}”` : "No answer came."}`];
  if (each.kind === "said") return [h("b", {}, `“${each.text}”`), ` ${each.reply || EFFECTS[each.effect] || ""}`];
  if (each.kind === "approval") return [h("b", {}, each.effect === "yes" ? "Approved: " : "Not approved: "), each.text];
  if (each.kind === "recalled") return [h("b", {}, "From earlier runs: "), each.text];
  return [h("b", {}, "Injected: "), `${each.text} ${each.reply || ""}`];
}
