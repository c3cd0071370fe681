// A past run, step by step: the same panels as live, set to any moment of its events.

import { enlarged, h, knowNames, plain, seconds, setText, show } from "./dom.js";
import { RunPanel } from "./run.js";
import { ScenePanel } from "./scene.js";
import { Sections, touches } from "./sections.js";
import { TimelinePanel } from "./timeline.js";

const KEPT = 60; // Parts of a run that stay here, the latest that were looked at.
const AHEAD = 15; // Moments before the end of a part at which the next one is asked for while it plays.
const SPEEDS = [1, 4, 16];
const LONGEST = 1500; // Milliseconds that a replay waits between two events.

export class Replay {
  // `source(run)` gives `part(at)`, a promise of the part with a moment; `file(name)`, the address of a file of the run
  // or nothing; and `links`, what stands above the player. `ended` shows a run at its end first.
  constructor(root, source, ended = false) {
    this.root = root;
    this.source = source;
    this.ended = ended;
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
    this.from = this.source(run);
    this.root.replaceChildren(h("section", { class: "card" }, h("p", { class: "soft" }, "Reading the run …")));
    this.parts = new Map();
    try {
      const part = await this.fetch(0);
      if (run !== this.run) return;
      this.count = part.count;
      this.about = part.about;
      if (!this.count) throw new Error("This run told nothing.");
    } catch (error) {
      if (run !== this.run) return;
      this.run = "";
      this.root.replaceChildren(h("section", { class: "card" }, h("p", { role: "alert" }, error.message)));
      return;
    }
    this.build();
    this.go(this.ended ? this.count - 1 : 0);
  }

  // The part with a moment.
  async fetch(at) {
    const run = this.run;
    const part = await this.from.part(at);
    if (run === this.run) {
      this.size = part.part;
      this.parts.delete(part.first);
      this.parts.set(part.first, part);
      if (this.parts.size > KEPT) this.parts.delete(this.parts.keys().next().value);
    }
    return part;
  }

  // The part with a moment, where it is here.
  part(at) {
    return this.parts.get(Math.floor(at / this.size) * this.size);
  }

  async moment(at) {
    const part = this.part(at) || await this.fetch(at);
    return part.changes[at - part.first];
  }

  build() {
    this.sections = new Sections();
    this.sections.listen((names) => touches(names, "scene", "world") && knowNames(this.sections));
    const turn = (at) => {
      this.close();
      this.showPlay();
      this.go(at);
    };
    this.slider = h("input", { type: "range", id: "moment", min: 0, max: this.count - 1, step: 1, list: "failures",
      oninput: () => turn(Number(this.slider.value)) });
    this.where = h("output", { for: "moment", class: "where" });
    this.play = h("button", { type: "button", id: "play", class: "main", onclick: () => this.toggle() }, "Play");
    this.speed = h("select", { "aria-label": "Speed" }, SPEEDS.map((speed) => h("option", { value: speed }, `${speed} ×`)));
    const step = (by) => async () => {
      this.close();
      this.showPlay();
      let at = this.at + by;
      try {
        while (at >= 0 && at < this.count && (await this.moment(at)).kind === "seen") at += by; // From event to event.
      } catch {
        // Its part does not come; going there says why.
      }
      this.go(at);
    };
    const [main, side] = [h("div", { class: "column wide" }), h("div", { class: "column" })];
    this.pictures = h("div", { class: "card picture", hidden: true });
    this.marks = h("p", { class: "row marks small" }, this.about.failures.length ? "Failures:" : "", this.about.failures.map((each) => h("button", {
      type: "button", class: "quiet bad", onclick: () => turn(each.at) }, `✗ ${seconds(each.t)}`)));
    this.root.replaceChildren(
      this.animation(),
      h("section", { class: "card player", "aria-label": "Replay" },
        this.from.links ? h("p", {}, this.from.links) : null,
        h("label", { for: "moment" }, "Moment of the run"), this.slider,
        h("datalist", { id: "failures" }, this.about.failures.map((each) => h("option", { value: each.at }))),
        h("div", { class: "row" }, h("button", { type: "button", "aria-label": "One event back", onclick: step(-1) }, "‹"), this.play,
          h("button", { type: "button", "aria-label": "One event on", onclick: step(1) }, "›"), this.speed, this.where), this.marks),
      h("div", { class: "live past" }, main, side));
    new RunPanel(main, this.sections, null, this.from.file);
    const why = h("div", { class: "column" });
    main.querySelector(".plan").before(why);
    new TimelinePanel(why, this.sections, turn);
    why.append(h("section", { class: "card", "aria-label": "Why?" }, h("h2", {}, "Why?"),
      h("ul", { class: "why" }, this.about.why.map((each) => h("li", {}, h("button", { type: "button", class: "quiet", onclick: () => turn(each.at) }, plain(each.text)))))));
    new ScenePanel(side, this.sections, "From above");
    side.append(this.pictures);
  }

  // The run as an animation, where one was made.
  animation() {
    const source = this.from.file("overview.webp");
    const card = h("section", { class: "card picture animation", "aria-label": "Animation", hidden: true });
    if (!source) return card;
    const shown = enlarged(source, "the whole run");
    const image = shown.querySelector("img");
    image.loading = "eager";
    image.addEventListener("load", () => show(card, true)); // Not every run has one.
    card.append(shown);
    return card;
  }

  // Shows a moment; where its part is not here yet, once it has come and nobody has gone elsewhere.
  async go(at) {
    this.at = Math.max(0, Math.min(this.count - 1, at));
    const wanted = this.at;
    this.slider.value = String(wanted);
    if (!this.part(wanted)) {
      await new Promise((done) => { setTimeout(done, 40); }); // A slider in motion passes many parts.
      if (wanted !== this.at) return;
      try {
        await this.fetch(wanted);
      } catch (error) {
        setText(this.where, error.message);
        return;
      }
      if (wanted !== this.at) return;
    }
    this.show(this.part(wanted));
  }

  show(part) {
    const values = { ...part.start, about: this.about };
    for (let each = part.first; each <= this.at; each += 1) put(values, part.changes[each - part.first].set);
    const change = part.changes[this.at - part.first];
    this.sections.replace(values);
    const words = `${this.at + 1} of ${this.count}, ${seconds(change.t)}: ${change.kind.replaceAll("_", " ")}${change.words ? `: ${change.words}` : ""}`;
    setText(this.where, words);
    this.slider.setAttribute("aria-valuetext", words);
    this.showPicture((values.pictures || []).at(-1));
  }

  showPicture(picture) {
    const source = picture && this.from.file(picture.file);
    show(this.pictures, Boolean(source));
    if (!source || this.pictures.dataset.file === picture.file) return;
    this.pictures.dataset.file = picture.file;
    this.pictures.replaceChildren(enlarged(source, `After ${seconds(picture.t)}: ${picture.caption}${picture.eye ? " (the robot's camera)" : ""}`));
  }

  toggle() {
    this.playing = !this.playing;
    this.showPlay();
    if (!this.playing) return this.close();
    if (this.at === this.count - 1) this.go(0);
    this.next();
  }

  showPlay() {
    setText(this.play, this.playing ? "Stop here" : "Play");
  }

  async next() {
    if (!this.playing || this.at >= this.count - 1) {
      this.close();
      return this.showPlay();
    }
    let wait = 0;
    try {
      wait = 1000 * ((await this.moment(this.at + 1)).t - (await this.moment(this.at)).t) / Number(this.speed.value);
    } catch {
      // The next part does not come; going there says why.
    }
    if (!this.playing) return undefined;
    const ahead = this.at + AHEAD;
    if (ahead < this.count && !this.part(ahead)) this.fetch(ahead).catch(() => {});
    this.timer = setTimeout(async () => {
      await this.go(this.at + 1);
      this.next();
    }, Math.max(15, Math.min(LONGEST, wait)));
    return undefined;
  }
}

function put(values, set) {
  for (const [name, value] of Object.entries(set)) {
    if (value === null && name.startsWith("step:")) delete values[name];
    else values[name] = value;
  }
}
