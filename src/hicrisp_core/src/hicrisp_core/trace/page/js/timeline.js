// The run over time: each robot's steps, what failed, why, and the feedback stack growing and falling on one axis.

import { h, nice, plain, s, seconds, setText, show } from "./dom.js";

const [WIDE, LEFT, ROW, CELL, FOOT] = [460, 8, 20, 16, 18]; // Pixels of the drawing.
const COLOURS = 6;

export class TimelinePanel {
  // With `go` a press on the axis goes to the moment with a number; a live page has none.
  constructor(root, sections, go = null) {
    this.sections = sections;
    this.go = go;
    this.now = h("ol", { class: "entries" });
    this.drawing = h("div", { class: "drawing" });
    this.legend = h("ul", { class: "legend small" });
    this.empty = h("p", { class: "soft" });
    root.append(h("section", { class: "card stack", "aria-label": "Timeline and feedback stack" },
      h("h2", {}, "Timeline and feedback stack"), this.drawing, this.legend, this.empty, this.now));
    sections.listen((names) => [...names].some((name) => ["stack", "run", "plan", "about"].includes(name) || name.startsWith("step:")) && this.update());
    this.update();
  }

  update() {
    const stack = this.sections.get("stack") || { entries: [], columns: [], legend: [], deepest: 0 };
    const run = this.sections.get("run") || {};
    const about = this.sections.get("about") || {};
    const plan = this.sections.get("plan") || { steps: [] };
    const steps = plan.steps.map((index) => this.sections.get(`step:${index}`)).filter((step) => step && step.began !== null);
    const [now, end] = [run.t || 0, Math.max(about.end || 0, run.t || 0, 0.1)];
    const x = (t) => LEFT + (WIDE - 2 * LEFT) * Math.min(1, t / end);
    const robots = [...new Set(steps.map((step) => step.robot))];
    const why = (about.why || []).filter((each) => each.t < end && each.until > 0 && each.until - each.t < end); // Not what the whole run is about.
    const lanes = robots.length * ROW;
    const floor = lanes + (why.length ? 12 : 4) + Math.max(1, stack.deepest) * CELL;
    const high = floor + FOOT;
    show(this.drawing, steps.length > 0 || stack.columns.length > 0);
    show(this.empty, !stack.entries.length);
    const bars = steps.map((step) => {
      const [from, to] = [x(step.began), x(step.ended === null ? now : step.ended)];
      const name = `${step.index + 1}`;
      const top = robots.indexOf(step.robot) * ROW + 2;
      return [s("rect", { x: from, y: top, width: Math.max(2, to - from - 1), height: ROW - 5, rx: 3, class: `lane ${step.state}` },
        s("title", {}, `${step.robot ? `${step.robot}: ` : ""}${name}. ${plain(step.text)}, ${seconds(step.began)} to ${seconds(step.ended === null ? now : step.ended)}`)),
      to - from > 8 * name.length ? s("text", { x: from + 4, y: top + 12 }, robots.length > 1 && to - from > 60 ? `${name} ${step.robot}` : name) : null];
    });
    const failed = about.failures ? about.failures.map((each) => each.t)
      : steps.flatMap((step) => step.moments.filter((each) => each.ok === false && !each.stopped).map((each) => each.t + (each.seconds || 0)));
    const marks = [
      ...failed.map((t) => s("line", { x1: x(t), x2: x(t), y1: 0, y2: floor, class: "missed" }, s("title", {}, `a failure, after ${seconds(t)}`))),
      ...(run.faults || []).filter((each) => each.t !== null).map((each) => s("path", { class: "injected", d: `M${x(each.t) - 4} 0h8l-4 7z` },
        s("title", {}, `injected after ${seconds(each.t)}: ${each.fault} ${each.target}`)))];
    const spans = why.map((each) => s("rect", { x: x(each.t), y: lanes + 2, width: Math.max(3, x(each.until) - x(each.t)), height: 5, rx: 2, class: "why" },
      s("title", {}, plain(each.text))));
    const cells = stack.columns.flatMap((column, at) => {
      const [from, to] = [x(column.t), x(at + 1 < stack.columns.length ? stack.columns[at + 1].t : now)];
      if (!column.bars.length) return [s("circle", { cx: from, cy: floor - 5, r: 3, class: "none" })];
      return column.bars.flatMap((bar, level) => {
        const y = floor - (level + 1) * CELL;
        const width = Math.max(2, to - from);
        return [s("rect", { x: from, y, width, height: CELL - 2, rx: 2, class: `bar c${bar.colour % COLOURS}` },
          s("title", {}, `${plain(stack.legend[bar.colour])}, tried ${bar.attempts} times, after ${seconds(column.t)}`)),
        width > 12 ? s("text", { x: from + width / 2, y: y + 11, "text-anchor": "middle" }, String(bar.attempts)) : null];
      });
    });
    const step = nice(end / 6);
    const ticks = Array.from({ length: Math.floor(end / step) + 1 }, (_, at) => [
      s("line", { x1: x(at * step), x2: x(at * step), y1: floor, y2: floor + 4, class: "floor" }),
      s("text", { x: x(at * step), y: floor + 15, class: "tick", "text-anchor": at ? "middle" : "start" }, `${Number((at * step).toFixed(3))} s`)]);
    const drawn = s("svg", { viewBox: `0 0 ${WIDE} ${high}`, role: "img",
      "aria-label": `${seconds(now)} of ${seconds(end)}, ${failed.length} failures. The stack changed ${stack.columns.length} times, was at most ${stack.deepest} deep, and now holds ${stack.entries.length}.`,
    }, bars, spans, marks, cells, s("line", { x1: LEFT, x2: WIDE - LEFT, y1: floor, y2: floor, class: "floor" }), ticks,
    this.go ? s("line", { x1: x(now), x2: x(now), y1: 0, y2: floor, class: "cursor" }) : null);
    if (this.go) {
      drawn.addEventListener("click", (event) => {
        const box = drawn.getBoundingClientRect();
        const t = end * ((event.clientX - box.left) / box.width * WIDE - LEFT) / (WIDE - 2 * LEFT);
        const before = (about.ticks || []).filter((each) => each[0] <= t);
        this.go(before.length ? before[before.length - 1][1] : 0);
      });
    }
    this.drawing.replaceChildren(drawn);
    const key = (kind, text) => h("li", {}, s("svg", { width: 10, height: 10, "aria-hidden": "true" }, s("rect", { width: 10, height: 10, rx: 2, class: kind })), ` ${text}`);
    this.legend.replaceChildren(...stack.legend.map((command, at) => key(`bar c${at % COLOURS}`, plain(command))),
      ...(why.length ? [key("why", "explained under “Why?”")] : []));
    this.now.replaceChildren(...[...stack.entries].reverse().map((entry, at) => h("li", {},
      h("b", {}, plain(entry.command)), at === 0 ? h("span", { class: "badge" }, "top") : null,
      h("span", { class: "soft small" }, ` ${entry.attempts > 1 ? `${entry.attempts} times: ` : ""}${plain(entry.error)}`))));
    setText(this.empty, stack.columns.length ? "The stack is empty again." : "The stack is empty: nothing has failed.");
  }
}
