// What is there to work with: robots, scene, policy, model, and how the nodes are.

import { h, plain, show } from "./dom.js";
import { touches } from "./sections.js";

const SIGNS = { ok: ["✓", "well"], warn: ["!", "not quite well"], error: ["✗", "not well"] };

export class Workspace {
  constructor(root, sections) {
    this.root = root;
    this.sections = sections;
    sections.listen((names) => touches(names, "scene", "budget", "health") && this.update());
  }

  update() {
    const { scene, budget, health } = Object.fromEntries(["scene", "budget", "health"].map((name) => [name, this.sections.get(name)]));
    show(this.root, Boolean(scene));
    if (!scene) return;
    const robots = [...scene.arms.map((name) => `${name} (arm)`), ...Object.keys(scene.bases).map((name) => `${name} (base)`)];
    const nodes = (health || { nodes: [] }).nodes;
    const rows = [["Robot", robots.join(", ")], ["Scene", `${scene.name}, seed ${scene.seed}`], ["Policy", (budget || {}).policy],
      ["Model", (health || {}).model || "not heard of yet"]];
    this.root.replaceChildren(h("h2", { id: "workspace-title" }, "Workspace"),
      h("dl", { class: "pairs" }, rows.filter(([, text]) => text).map(([name, text]) => h("div", {}, h("dt", {}, name), h("dd", {}, text)))),
      h("ul", { class: "nodes", "aria-label": "Nodes" }, nodes.map((node) => h("li", { class: node.state, title: node.message },
        h("span", { "aria-hidden": "true" }, `${SIGNS[node.state][0]} `), node.name.replaceAll("_", " "),
        h("span", { class: "unseen" }, ` is ${SIGNS[node.state][1]}`), node.state === "ok" ? null : `: ${plain(node.message)}`))));
  }
}
