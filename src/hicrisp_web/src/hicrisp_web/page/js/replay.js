// A past run, step by step: the same panels as live, set to any moment of its events.

import { h, seconds, setText } from "./dom.js";
import { RunPanel } from "./run.js";
import { ScenePanel } from "./scene.js";
import { Sections } from "./sections.js";
import { get } from "./server.js";
import { StackPanel } from "./stack.js";

const EVERY = 50; // Moments between two that are kept whole, so that going back is as quick as going on.
const SPEEDS = [1, 4, 16];
const LONGEST = 1500; // Milliseconds that a replay waits between two events.

export class Replay {
  constructor(root) {
    this.root = root;
    this.run = "";
  }

  close() {
    this.playing = false;
    clearTimeout(this.timer);
  }

  async open(run) {
    if (run === this.run) return;
    this.close();
    this.run = run;
    this.root.replaceChildren(h("section", { class: "card" }, h("p", { class: "soft" }, "Reading the run …")));
    try {
      this.changes = await get(`/api/runs/${encodeURIComponent(run)}/changes`);
      if (!this.changes.length) throw new Error("This run told nothing.");
    } catch (error) {
      this.run = "";
      this.root.replaceChildren(h("section", { class: "card" }, h("p", { role: "alert" }, error.message)));
      return;
    }
    this.build();
    this.go(this.changes.length - 1);
  }

  build() {
    this.kept = [{}];
    const values = {};
    this.changes.forEach((change, at) => {
      if (at % EVERY === 0) this.kept[at / EVERY] = { ...values };
      put(values, change.set);
    });
    this.sections = new Sections();
    this.slider = h("input", { type: "range", id: "moment", min: 0, max: this.changes.length - 1, step: 1,
      oninput: () => { this.close(); this.showPlay(); this.go(Number(this.slider.value)); } });
    this.where = h("output", { for: "moment", class: "where" });
    this.play = h("button", { type: "button", id: "play", class: "main", onclick: () => this.toggle() }, "Play");
    this.speed = h("select", { "aria-label": "Speed" }, SPEEDS.map((speed) => h("option", { value: speed }, `${speed} ×`)));
    const step = (by) => () => {
      this.close();
      this.showPlay();
      let at = this.at + by;
      while (this.changes[at] && this.changes[at].kind === "seen") at += by; // From event to event.
      this.go(at);
    };
    const [main, side] = [h("div", { class: "column wide" }), h("div", { class: "column" })];
    this.pictures = h("figure", { class: "card picture", hidden: true });
    this.root.replaceChildren(
      h("section", { class: "card player", "aria-label": "Replay" },
        h("p", {}, h("a", { href: "#history" }, "← Past runs"), " ",
          h("a", { href: `/api/runs/${encodeURIComponent(this.run)}/files/report.html`, target: "_blank", rel: "noopener" }, "Report")),
        h("label", { for: "moment" }, "Moment of the run"), this.slider,
        h("div", { class: "row" }, h("button", { type: "button", "aria-label": "One event back", onclick: step(-1) }, "‹"), this.play,
          h("button", { type: "button", "aria-label": "One event on", onclick: step(1) }, "›"), this.speed, this.where)),
      h("div", { class: "live past" }, main, side));
    new RunPanel(main, this.sections);
    new StackPanel(side, this.sections);
    new ScenePanel(side, this.sections, "From above");
    side.append(this.pictures);
  }

  go(at) {
    this.at = Math.max(0, Math.min(this.changes.length - 1, at));
    const from = Math.floor(this.at / EVERY);
    const values = { ...this.kept[from] };
    for (let each = from * EVERY; each <= this.at; each += 1) put(values, this.changes[each].set);
    const change = this.changes[this.at];
    this.sections.replace(values);
    this.slider.value = String(this.at);
    const words = `${this.at + 1} of ${this.changes.length}, ${seconds(change.t)}: ${change.kind.replaceAll("_", " ")}${change.words ? `: ${change.words}` : ""}`;
    setText(this.where, words);
    this.slider.setAttribute("aria-valuetext", words);
    this.showPicture((values.pictures || []).at(-1));
  }

  showPicture(picture) {
    this.pictures.hidden = !picture;
    if (!picture || this.pictures.dataset.file === picture.file) return;
    this.pictures.dataset.file = picture.file;
    const path = picture.file.split("/").map(encodeURIComponent).join("/");
    this.pictures.replaceChildren(
      h("img", { src: `/api/runs/${encodeURIComponent(this.run)}/files/${path}`, alt: `The scene: ${picture.caption}` }),
      h("figcaption", { class: "soft small" }, `${picture.caption}, after ${seconds(picture.t)}`));
  }

  toggle() {
    this.playing = !this.playing;
    this.showPlay();
    if (!this.playing) return this.close();
    if (this.at === this.changes.length - 1) this.go(0);
    this.next();
  }

  showPlay() {
    setText(this.play, this.playing ? "Stop here" : "Play");
  }

  next() {
    if (!this.playing || this.at >= this.changes.length - 1) {
      this.close();
      return this.showPlay();
    }
    const wait = 1000 * (this.changes[this.at + 1].t - this.changes[this.at].t) / Number(this.speed.value);
    this.timer = setTimeout(() => {
      this.go(this.at + 1);
      this.next();
    }, Math.max(15, Math.min(LONGEST, wait)));
  }
}

function put(values, set) {
  for (const [name, value] of Object.entries(set)) {
    if (value === null && name.startsWith("step:")) delete values[name];
    else values[name] = value;
  }
}
