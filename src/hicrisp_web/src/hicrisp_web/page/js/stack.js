// The feedback stack: one column for each of its changes, and what lies on it now.

import { h, plain, s, setText, show } from "./dom.js";
import { touches } from "./sections.js";

const CELL = [22, 18, 3];
const COLOURS = 6;

export class StackPanel {
  constructor(root, sections) {
    this.sections = sections;
    this.now = h("ol", { class: "entries" });
    this.drawing = h("div", { class: "drawing", tabindex: 0, role: "group", "aria-label": "The stack over time" });
    this.legend = h("ul", { class: "legend small" });
    this.empty = h("p", { class: "soft" }, "Empty: nothing has failed that is not mended.");
    root.append(h("section", { class: "card stack", "aria-label": "Feedback stack" }, h("h2", {}, "Feedback stack"),
      this.drawing, this.legend, this.empty, this.now));
    sections.listen((names) => touches(names, "stack") && this.update());
    this.update();
  }

  update() {
    const stack = this.sections.get("stack") || { entries: [], columns: [], legend: [], deepest: 0 };
    const [width, height, gap] = CELL;
    const floor = Math.max(1, stack.deepest) * (height + gap);
    show(this.drawing, stack.columns.length > 0);
    show(this.empty, !stack.entries.length);
    const bars = stack.columns.flatMap((column, at) => {
      const x = at * (width + gap);
      if (!column.bars.length) return [s("circle", { cx: x + width / 2, cy: floor - 5, r: 3, class: "none" })];
      return column.bars.flatMap((bar, level) => {
        const y = floor - (level + 1) * (height + gap);
        return [s("rect", { x, y, width, height, rx: 3, class: `bar c${bar.colour % COLOURS}` },
          s("title", {}, `${plain(stack.legend[bar.colour])}, tried ${bar.attempts} times, after ${column.t.toFixed(1)} s`)),
        s("text", { x: x + width / 2, y: y + 13, "text-anchor": "middle" }, String(bar.attempts))];
      });
    });
    const wide = Math.max(1, stack.columns.length) * (width + gap);
    this.drawing.replaceChildren(s("svg", {
      width: wide, height: floor + 2, viewBox: `0 0 ${wide} ${floor + 2}`, role: "img",
      "aria-label": `The stack changed ${stack.columns.length} times, was at most ${stack.deepest} deep, and now holds ${stack.entries.length}.`,
    }, s("line", { x1: 0, x2: wide, y1: floor, y2: floor, class: "floor" }), bars));
    this.drawing.scrollLeft = this.drawing.scrollWidth;
    this.legend.replaceChildren(...stack.legend.map((command, at) => h("li", {},
      s("svg", { width: 10, height: 10, "aria-hidden": "true" }, s("rect", { width: 10, height: 10, rx: 2, class: `bar c${at % COLOURS}` })), ` ${plain(command)}`)));
    this.now.replaceChildren(...[...stack.entries].reverse().map((entry, at) => h("li", {},
      h("b", {}, plain(entry.command)), at === 0 ? h("span", { class: "badge" }, "top") : null,
      h("span", { class: "soft small" }, ` ${entry.attempts > 1 ? `${entry.attempts} times: ` : ""}${plain(entry.error)}`))));
    setText(this.empty, stack.columns.length ? "Empty again." : "Empty: nothing has failed.");
  }
}
