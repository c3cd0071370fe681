// Two runs side by side; what differs is marked.

import { enlarged, h, plain } from "./dom.js";
import { fileOf, get } from "./server.js";

export class Compare {
  constructor(root) {
    this.root = root;
  }

  async open([left, right]) {
    if (!left || !right) return;
    this.root.replaceChildren(h("section", { class: "card" }, h("p", { class: "soft" }, "Reading …")));
    let found;
    try {
      found = await get(`/api/compare?${new URLSearchParams({ left, right })}`);
    } catch (error) {
      this.root.replaceChildren(h("section", { class: "card" }, h("p", { role: "alert" }, error.message)));
      return;
    }
    const lines = (list) => list.map((line) => h("tr", { class: line.differs ? "differs" : "" },
      h("th", { scope: "row" }, line.title, line.differs ? h("span", { class: "unseen" }, " (differs)") : null),
      h("td", {}, line.left), h("td", {}, line.right)));
    const places = found.places.map((each) => h("tr", { class: each.mm > 5 ? "differs" : "" }, h("th", { scope: "row" }, `${plain(each.name)}: ${each.mm} mm apart`),
      h("td", {}, each.left.join(", ")), h("td", {}, each.right.join(", "))));
    const pictures = found.pictures.map((taken, at) => h("td", {}, taken ? enlarged(fileOf(at ? found.right : found.left, taken.file), taken.caption) : "–"));
    const head = [found.left, found.right].map((id) => h("th", { scope: "col" }, h("a", { href: `#replay=${encodeURIComponent(id)}` }, id)));
    this.root.replaceChildren(h("section", { class: "card", "aria-labelledby": "compare-title" },
      h("h2", { id: "compare-title" }, "Two runs"), h("p", {}, h("a", { href: "#history" }, "← Past runs")),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Two runs, a table" }, h("table", { class: "compare" },
        h("thead", {}, h("tr", {}, h("td"), head)), h("tbody", {}, found.pictures.some((taken) => taken) ? h("tr", {}, h("th", { scope: "row" }, "Last picture"), pictures) : null, lines(found.lines)),
        places.length ? h("tbody", {}, h("tr", {}, h("th", { scope: "rowgroup", colspan: 3 }, "Where objects ended: x, y, z in mm")), places) : null,
        found.steps.length ? h("tbody", {}, h("tr", {}, h("th", { scope: "rowgroup", colspan: 3 }, "First plan")), lines(found.steps)) : null))));
  }
}
