// Past runs: filtered, one page at a time; two can be put side by side, any can be replayed.

import { h, inWords, seconds, settled, setText } from "./dom.js";
import { fileOf, get } from "./server.js";

const PAGE = 50;
const NUMBERS = new Set(["commands", "corrections", "seconds"]);
const COLUMNS = { date: "When", task: "Task", verdict: "Result", cause: "Cause", scene: "Scene", policy: "Policy", commands: "Commands", corrections: "Corrections", seconds: "Time" };

export class History {
  constructor(root) {
    this.first = 0;
    this.chosen = [];
    this.words = h("input", { id: "words", type: "search", autocomplete: "off" });
    this.verdict = h("select", { id: "verdict" });
    this.scene = h("select", { id: "scene" });
    this.total = h("p", { class: "soft", role: "status" });
    this.compare = h("button", { type: "button", id: "compare-two", disabled: true,
      onclick: () => { location.hash = `compare=${this.chosen.map(encodeURIComponent).join(",")}`; } }, "Compare two");
    this.rows = h("tbody");
    this.sort = { by: "date", rising: false };
    this.heads = Object.entries(COLUMNS).map(([by, name]) => h("th", { scope: "col", class: NUMBERS.has(by) ? "number" : null, "data-by": by },
      h("button", { type: "button", class: "quiet", onclick: () => this.order(by) }, name)));
    this.newer = h("button", { type: "button", onclick: () => this.turn(-PAGE) }, "Newer");
    this.older = h("button", { type: "button", onclick: () => this.turn(PAGE) }, "Older");
    root.append(h("section", { class: "card", "aria-labelledby": "history-title" },
      h("h2", { id: "history-title" }, "Past runs"),
      h("form", { class: "filters", role: "search", onsubmit: (event) => event.preventDefault() },
        h("div", {}, h("label", { for: "words" }, "Words"), this.words),
        h("div", {}, h("label", { for: "verdict" }, "Result"), this.verdict),
        h("div", {}, h("label", { for: "scene" }, "Scene"), this.scene), this.compare),
      this.total,
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Past runs, a table" },
        h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span", { class: "unseen" }, "Compare")), this.heads, h("th", { scope: "col" }, h("span", { class: "unseen" }, "See it")))), this.rows)),
      h("div", { class: "row" }, this.newer, this.older)));
    const anew = settled(150, () => {
      this.first = 0;
      this.load();
    });
    this.words.addEventListener("input", anew);
    this.verdict.addEventListener("change", anew);
    this.scene.addEventListener("change", anew);
  }

  open() {
    this.load();
  }

  // Sort by a column; once more turns it round.
  order(by) {
    this.sort = { by, rising: this.sort.by === by ? !this.sort.rising : !NUMBERS.has(by) && by !== "date" };
    this.first = 0;
    this.load();
  }

  turn(by) {
    this.first = Math.max(0, this.first + by);
    this.load();
  }

  async load() {
    const asked = new URLSearchParams({ words: this.words.value, verdict: this.verdict.value, scene: this.scene.value,
      sort: this.sort.by, rising: this.sort.rising, first: this.first, most: PAGE });
    this.asked = String(asked);
    let found;
    try {
      found = await get(`/api/runs?${asked}`);
    } catch (error) {
      return setText(this.total, error.message);
    }
    if (this.asked !== String(asked)) return;
    options(this.verdict, "any result", found.verdict);
    options(this.scene, "any scene", found.scene);
    const last = this.first + found.runs.length;
    setText(this.total, found.total ? `${this.first + 1} to ${last} of ${found.total.toLocaleString("en")}; ${found.succeeded.toLocaleString("en")} succeeded (${Math.round(100 * found.succeeded / found.total)} %)` : "No run is like that.");
    for (const head of this.heads) {
      if (head.dataset.by === this.sort.by) head.setAttribute("aria-sort", this.sort.rising ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    }
    this.newer.disabled = !this.first;
    this.older.disabled = last >= found.total;
    this.rows.replaceChildren(...found.runs.map((run) => this.row(run)));
  }

  row(run) {
    const chosen = this.chosen.includes(run.id);
    return h("tr", {},
      h("td", {}, h("input", { type: "checkbox", "aria-label": `Compare ${run.id}`, checked: chosen,
        onchange: (event) => this.choose(run.id, event.target.checked) })),
      h("td", {}, run.date),
      h("td", { class: "words" }, h("a", { href: `#replay=${encodeURIComponent(run.id)}` }, run.task || run.id),
        h("div", { class: "soft small" }, run.id)),
      h("td", {}, h("span", { class: `badge ${run.verdict}` }, inWords(run.verdict))),
      h("td", {}, inWords(run.cause)),
      h("td", {}, run.scene), h("td", {}, run.policy), h("td", { class: "number" }, String(run.commands)),
      h("td", { class: "number" }, String(run.corrections)), h("td", { class: "number" }, seconds(run.seconds)),
      h("td", {}, h("a", { href: fileOf(run.id, "report.html"), target: "_blank", rel: "noopener",
        "aria-label": `Report of ${run.id}` }, "Report")));
  }

  choose(id, on) {
    this.chosen = on ? [...this.chosen, id].slice(-2) : this.chosen.filter((each) => each !== id);
    this.compare.disabled = this.chosen.length !== 2;
    for (const box of this.rows.querySelectorAll("input")) box.checked = this.chosen.includes(box.getAttribute("aria-label").slice(8));
  }
}

function options(select, any, counts) {
  const key = JSON.stringify(counts);
  if (select.dataset.key === key) return;
  select.dataset.key = key;
  const value = select.value;
  select.replaceChildren(h("option", { value: "" }, any), ...Object.entries(counts).filter(([name]) => name)
    .map(([name, count]) => h("option", { value: name }, `${name} (${count})`)));
  select.value = value in counts ? value : "";
}
