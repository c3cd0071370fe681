// The scene from above, to scale: things with names, target and achieved place of commands, the tool's box;
// for a base its walls, areas, keep-outs, scan, and the way that it drove and is to drive.

import { h, s, setText, show } from "./dom.js";
import { touches } from "./sections.js";

const SIZE = 420;
const BELOW = 22; // Pixels below the ground, for the scale.
const NAMED = 6; // Things that were not known before and have their names drawn and told.
const TOUCH = 0.05; // Metres of free ground up to which two discs are sides of one thing.
const PAINTS = {
  red: "#cf4a42", green: "#3f9a5d", blue: "#3d74c4", yellow: "#d9ae2e", orange: "#dd8435", purple: "#8a63b8",
  pink: "#d97aa6", white: "#e9ecef", black: "#3a3f45", grey: "#8b949c", gray: "#8b949c", brown: "#8d6748", cyan: "#3aa3ad",
};

export class ScenePanel {
  constructor(root, sections, title = "View from above") {
    this.sections = sections;
    this.drawing = h("div", { class: "above" });
    this.key = h("ul", { class: "legend small" });
    this.facts = h("ul", { class: "facts small" });
    this.strangers = h("p", { class: "small strangers", hidden: true });
    this.known = h("details", {}, h("summary", {}, "What holds now"), this.facts);
    this.card = h("section", { class: "card scene", "aria-label": title }, h("h2", {}, title), this.drawing, this.key, this.strangers, this.known);
    root.append(this.card);
    sections.listen((names) => touches(names, "scene", "world", "places", "scan", "path", "route", "grid") && this.update());
    this.update();
  }

  update() {
    const scene = this.sections.get("scene");
    const world = this.sections.get("world");
    const places = this.sections.get("places") || [];
    show(this.card, Boolean(scene || world || places.length));
    show(this.known, Boolean(world && world.facts.length));
    if (world) {
      const facts = JSON.stringify(world.facts);
      if (facts !== this.told) {
        this.told = facts;
        this.facts.replaceChildren(...world.facts.map((fact) => h("li", {}, fact)));
      }
    }
    const bounds = (scene && scene.bounds) || around(places);
    show(this.drawing, Boolean(bounds));
    show(this.key, Boolean(bounds));
    if (!bounds) return;
    this.draw(new Ground(bounds, Boolean(scene && scene.arms.length && !Object.keys(scene.bases).length) || !scene), scene, world, places);
  }

  draw(ground, scene, world, places) {
    const things = (world ? world.things : []).filter((thing) => thing.x !== null);
    things.sort((a, b) => a.z + a.size[2] / 2 - (b.z + b.size[2] / 2));
    const unknown = scene ? things.filter((thing) => !scene.known.includes(thing.name)) : [];
    const still = things.filter((thing) => !thing.movable && !unknown.includes(thing));
    const strangers = together(unknown);
    this.tell(strangers);
    const parts = [
      ground.grid(),
      this.grid(ground),
      ...(scene && scene.workspace ? [ground.box(scene.workspace, "workspace")] : []),
      ...still.map((thing) => shape(ground, thing)),
      ...(scene ? scene.zones.map((zone) => zoneOf(ground, zone)) : []),
      ...(scene ? scene.walls.map((wall) => ground.line([wall.from, wall.to], "wall", ground.long(wall.width))) : []),
      ...unknown.map((thing) => shape(ground, thing, "unknown")),
      ...things.filter((thing) => thing.movable && !unknown.includes(thing)).map((thing) => shape(ground, thing)),
      ...["route", "path"].map((name) => this.sections.get(name)).map((line, at) => line && ground.line(line, at ? "path" : "route")),
      ...(this.sections.get("scan") || []).map(([x, y]) => s("circle", { ...ground.at(x, y), r: 1.3, class: "scan" })),
      ...(world ? world.robots : []).map((robot) => robotOf(ground, robot, scene)),
      ...places.slice(-12).map((place, at, all) => placeOf(ground, place, at === all.length - 1)),
      ...labels(ground, things.filter((thing) => thing.movable || !scene || (strangers.length <= NAMED && strangers.some((each) => each.name === thing.name)) || scene.known.includes(thing.name))),
      ground.rule(),
    ];
    const said = things.filter((thing) => thing.movable).map((thing) => `${thing.name} at ${thing.x.toFixed(2)}, ${thing.y.toFixed(2)} m`).join("; ");
    this.drawing.replaceChildren(s("svg", { viewBox: `0 0 ${ground.width} ${ground.height + BELOW}`, role: "img",
      "aria-label": `From above, metres: ${said || "nothing is seen yet"}.` }, parts.filter(Boolean)));
    const key = [["target", "target"], ["aim", "aim, less the learned offset"], ["achieved", "where it ended"]]
      .filter(([kind]) => places.some((place) => (kind === "aim" ? place.aim && apart(place) : place[kind])));
    if (scene && scene.workspace) key.push(["workspace", "where the tool may go"]);
    if (scene && scene.zones.length) key.push(["zone", "keep out"]);
    if (unknown.length) key.push(["unknown", "seen, not known before"]);
    if (this.sections.get("path")) key.push(["path", "driven"]);
    if (this.sections.get("route")) key.push(["route", "planned"]);
    this.key.replaceChildren(...key.map(([kind, text]) => h("li", {},
      s("svg", { width: 14, height: 10, "aria-hidden": "true" }, s("rect", { x: 1, y: 1, width: 12, height: 8, rx: 2, class: `key ${kind}` })), ` ${text}`)));
  }

  // What was seen that no file describes, in words.
  tell(strangers) {
    show(this.strangers, strangers.length > 0);
    const told = strangers.slice(0, NAMED).map((thing) => `${thing.name}, about ${thing.size.map((each) => Math.round(100 * each)).join(" x ")} cm`);
    if (strangers.length > NAMED) told.push(`and ${strangers.length - NAMED} more`);
    setText(this.strangers, `Seen, and not known before (${strangers.length}): ${told.join("; ")}.`);
  }

  grid(ground) {
    const map = this.sections.get("grid");
    if (!map) return null;
    return s("path", { class: "grid", d: map.runs.map(([x, y, width]) => {
      const [a, b] = [ground.point(x, y), ground.point(x + width, y + map.cell)];
      return `M${a[0]} ${a[1]}H${b[0]}V${b[1]}H${a[0]}Z`;
    }).join("") });
  }
}

// A lidar sees the sides of one thing as several discs: those that touch are told as one, by the name of the largest.
function together(unknown) {
  const left = [...unknown];
  const found = [];
  while (left.length) {
    const parts = [left.shift()];
    for (const one of parts) {
      for (const other of left.filter((each) => touching(one, each))) {
        parts.push(other);
        left.splice(left.indexOf(other), 1);
      }
    }
    const largest = parts.reduce((a, b) => (wide(b) > wide(a) ? b : a));
    const span = (axis) => Math.max(...parts.map((each) => each[axis] + wide(each) / 2)) - Math.min(...parts.map((each) => each[axis] - wide(each) / 2));
    found.push({ name: largest.name, size: parts.length === 1 ? largest.size : [span("x"), span("y"), largest.size[2]] });
  }
  return found;
}

const wide = (thing) => Math.max(thing.size[0], thing.size[1]);
const touching = (one, other) => !one.movable && !other.movable
  && Math.hypot(one.x - other.x, one.y - other.y) - (wide(one) + wide(other)) / 2 <= TOUCH;

// From metres to the drawing. At a table the arm looks up the page; in an arena x goes to the right.
class Ground {
  constructor([lowX, lowY, highX, highY], turned) {
    this.turned = turned;
    this.low = [lowX, lowY];
    this.high = [highX, highY];
    const [across, along] = turned ? [highY - lowY, highX - lowX] : [highX - lowX, highY - lowY];
    this.scale = SIZE / Math.max(across, along * 0.8, 0.1);
    this.width = across * this.scale;
    this.height = along * this.scale;
  }

  long(metres) {
    return metres * this.scale;
  }

  point(x, y) {
    return this.turned ? [(this.high[1] - y) * this.scale, (this.high[0] - x) * this.scale]
      : [(x - this.low[0]) * this.scale, (this.high[1] - y) * this.scale];
  }

  at(x, y) {
    const [cx, cy] = this.point(x, y);
    return { cx: cx.toFixed(1), cy: cy.toFixed(1) };
  }

  // Degrees of the page, clockwise, for a turn to the left in the world.
  turn(yaw) {
    return -yaw;
  }

  line(points, kind, width) {
    const told = points.map(([x, y]) => this.point(x, y).map((value) => value.toFixed(1)).join(","));
    return s("polyline", { points: told.join(" "), class: kind, "stroke-width": width });
  }

  box([lowX, lowY, highX, highY], kind) {
    const told = [[lowX, lowY], [highX, lowY], [highX, highY], [lowX, highY]].map(([x, y]) => this.point(x, y).join(","));
    return s("polygon", { points: told.join(" "), class: kind });
  }

  grid() {
    const step = this.high[0] - this.low[0] > 2.5 ? 0.5 : 0.1;
    const lines = [];
    for (let x = Math.ceil(this.low[0] / step) * step; x <= this.high[0]; x += step) lines.push([[x, this.low[1]], [x, this.high[1]]]);
    for (let y = Math.ceil(this.low[1] / step) * step; y <= this.high[1]; y += step) lines.push([[this.low[0], y], [this.high[0], y]]);
    return s("g", { class: "raster" }, lines.map((line) => this.line(line, "")));
  }

  rule() {
    const metres = this.high[0] - this.low[0] > 2.5 ? 0.5 : 0.1;
    const [x, y] = [8, this.height + BELOW / 2];
    return s("g", { class: "rule" }, s("line", { x1: x, x2: x + this.long(metres), y1: y, y2: y }),
      s("text", { x: x + this.long(metres) + 6, y: y + 4 }, metres < 0.5 ? `${100 * metres} cm` : `${metres} m`));
  }
}

function shape(ground, thing, special = "") {
  const { cx, cy } = ground.at(thing.x, thing.y);
  const [length, width] = thing.size.map((each) => ground.long(each));
  const paint = thing.movable ? PAINTS[thing.colour] : undefined;
  const kind = `thing ${special || (thing.movable ? "movable" : thing.shape === "region" ? "area" : "place")} ${thing.lost ? "lost" : ""}`;
  const named = s("title", {}, `${thing.name}${thing.lost ? ", not seen for a while" : ""}`);
  if (["cylinder", "bowl", "sphere", "disc"].includes(thing.shape)) {
    return s("circle", { cx, cy, r: Math.max(2, length / 2), class: kind, fill: paint }, named);
  }
  const [a, b] = ground.turned ? [width, length] : [length, width];
  return s("rect", { x: -a / 2, y: -b / 2, width: a, height: b, rx: 2, class: kind, fill: paint,
    transform: `translate(${cx} ${cy}) rotate(${ground.turn(thing.yaw)})` }, named);
}

// Names below their things, or wherever beside them no other name stands.
function labels(ground, things) {
  const taken = [];
  return things.filter((thing) => thing.name !== "table").map((thing) => {
    const text = thing.name.replaceAll("_", " ");
    const [x, y] = ground.point(thing.x, thing.y);
    const [wide, off] = [3.1 * text.length, Math.max(6, ground.long(Math.max(thing.size[0], thing.size[1])) / 2)];
    const places = thing.movable ? [[0, off + 11], [0, -off - 4], [wide + off + 3, 4], [-wide - off - 3, 4], [0, off + 23]] : [[0, 4]];
    const boxes = places.map(([dx, dy]) => [x + dx - wide, y + dy - 10, x + dx + wide, y + dy + 2]);
    const free = boxes.findIndex((box) => box[0] >= 0 && box[2] <= ground.width && box[3] <= ground.height
      && !taken.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3]));
    const [left, , right, bottom] = boxes[Math.max(0, free)];
    taken.push(boxes[Math.max(0, free)]);
    return s("text", { x: ((left + right) / 2).toFixed(1), y: (bottom - 2).toFixed(1), "text-anchor": "middle" }, text);
  });
}

function zoneOf(ground, zone) {
  const points = zone.corners.map(([x, y]) => ground.point(x, y).join(","));
  if (points.length === 1) return s("circle", { ...ground.at(...zone.corners[0]), r: ground.long(zone.radius), class: "zone" });
  return s("polygon", { points: points.join(" "), class: "zone", "stroke-width": Math.max(1.5, 2 * ground.long(zone.radius)) },
    s("title", {}, `keep out: ${zone.name}`));
}

function robotOf(ground, robot, scene) {
  if (robot.x === null) return null;
  const { cx, cy } = ground.at(robot.x, robot.y);
  if (robot.kind === "base") {
    const radius = ground.long(((scene && scene.bases[robot.name]) || { radius: 0.18 }).radius);
    const [tipX, tipY] = ground.point(robot.x + Math.cos(robot.yaw * Math.PI / 180) * 0.18, robot.y + Math.sin(robot.yaw * Math.PI / 180) * 0.18);
    return s("g", { class: "base" }, s("circle", { cx, cy, r: radius }, s("title", {}, robot.name)), s("line", { x1: cx, y1: cy, x2: tipX, y2: tipY }));
  }
  const [footX, footY] = ground.point(0, 0);
  return s("g", { class: "arm" }, s("line", { x1: footX, y1: footY, x2: cx, y2: cy }), s("circle", { cx: footX, cy: footY, r: 9 }),
    s("circle", { cx, cy, r: 4, class: "tool" }, s("title", {}, `${robot.name}'s tool`)));
}

function placeOf(ground, place, last) {
  const cross = ([x, y], kind) => {
    const [px, py] = ground.point(x, y);
    return s("path", { class: kind, d: `M${px - 6} ${py}H${px + 6}M${px} ${py - 6}V${py + 6}` }, s("title", {}, `${kind}: ${place.text}`));
  };
  const parts = [cross(place.target, "target")];
  if (place.aim && apart(place)) {
    parts.push(ground.line([place.target, place.aim], "aim"), s("circle", { ...ground.at(...place.aim), r: 3, class: "aim" }));
  }
  if (place.achieved) {
    parts.push(ground.line([place.target, place.achieved], "achieved"),
      s("circle", { ...ground.at(...place.achieved), r: 4, class: `achieved ${place.ok ? "good" : "bad"}` }));
  }
  return s("g", { class: `spot ${last ? "last" : ""}` }, parts);
}

const apart = (place) => Math.hypot(place.aim[0] - place.target[0], place.aim[1] - place.target[1]) > 5e-4;

function around(places) {
  const points = places.flatMap((place) => [place.target, place.aim, place.achieved].filter(Boolean));
  if (!points.length) return null;
  const [xs, ys] = [points.map((point) => point[0]), points.map((point) => point[1])];
  return [Math.min(0, ...xs) - 0.15, Math.min(...ys) - 0.25, Math.max(...xs) + 0.15, Math.max(...ys) + 0.25];
}
