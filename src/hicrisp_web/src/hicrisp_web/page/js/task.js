// Submitting a task: examples, what its words mean while they are typed, the queue, and remarks while it runs.

import { $, h, plain, sentence, setText, settled, show } from "./dom.js";
import { toldLine } from "./run.js";
import { LIVE, touches } from "./sections.js";
import { perform } from "./server.js";

const UNREAD = "This is not controlled English. Press “What do you understand?” to ask the robot.";

export class TaskForm {
  constructor(sections, steers) {
    this.sections = sections;
    this.steers = steers;
    this.asked = 0;
    this.understood = ""; // The words of which the robot's own reading is shown, or awaited.
    $("task-form").addEventListener("submit", (event) => this.submit(event));
    $("task").addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey) this.submit(event);
    });
    $("task").addEventListener("input", settled(250, () => this.read()));
    $("understand").addEventListener("click", () => this.understand());
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

  // Controlled English, read while it is typed.
  async read() {
    const task = $("task").value.trim();
    if (task && task === this.understood) return;
    this.understood = "";
    const number = ++this.asked;
    const said = task && this.steers() ? await perform("read", { task }) : {};
    if (number !== this.asked) return;
    setText($("read"), meaning(said) || said.message || (said.ok === false ? UNREAD : ""));
  }

  // What the robot's own interpreter makes of it.
  async understand() {
    const task = $("task").value.trim();
    if (!task) return $("task").focus();
    this.understood = task;
    const number = ++this.asked;
    setText($("read"), "The robot reads it …");
    const said = await perform("understand", { task });
    if (number === this.asked) setText($("read"), meaning(said) || said.message);
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
    const busy = LIVE.has((this.sections.get("status") || {}).state);
    document.body.classList.toggle("busy", busy);
    show($("tell-form"), busy);
    show($("talk-card"), busy || $("talk").children.length > 0);
    const ready = this.steers();
    $("submit").disabled = $("understand").disabled = !ready;
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
    $("talk").replaceChildren(...told.map((each) => h("li", { class: each.kind }, toldLine(each))));
  }
}

function meaning(said) {
  if (said.question) return `I would ask: ${said.question} ${(said.choices || []).join(", ")}`.trim();
  const parts = [said.goal && `I understand: ${said.goal}`, (said.steps || []).length && `I would: ${said.steps.join(", then ")}`,
    said.answer, said.refusal, (said.alternatives || []).length && `Try, for example: ${said.alternatives.join("; ")}`];
  return plain(parts.filter(Boolean).map(sentence).join(" "));
}
