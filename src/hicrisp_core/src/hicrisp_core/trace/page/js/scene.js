// The scene from above, to scale: things with names, target and achieved place of commands, the tool's box;
// for a base its walls, areas, keep-outs, scan, and the way that it drove and is to drive.

import { h, plain, s, setText, show } from "./dom.js";
import { touches } from "./sections.js";

const SIZE = 420;
const [BESIDE, BELOW] = [34, 18]; // Pixels left of and below the ground, for the axes.
const CLOSEST = 8; // How far one can zoom in.
const TICKS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50];
const NAMED = 6; // Things that were not known before and have their names drawn and told.
const TOUCH = 0.05; // Metres of free ground up to which two discs are sides of one thing.
// What happened on a base's way, once and several times.
const MARKS = { touched: ["touch", "touches"], near_miss: ["near miss", "near misses"], entered: ["keep-out entered", "keep-outs entered"] };
const PAINTS = {
  red: "#cf4a42", green: "#3f9a5d", blue: "#3d74c4", yellow: "#d9ae2e", orange: "#dd8435", purple: "#8a63b8",
  pink: "#d97aa6", white: "#e9ecef", black: "#3a3f45", grey: "#8b949c", gray: "#8b949c", brown: "#8d6748", cyan: "#3aa3ad",
};

export class ScenePanel {
  constructor(root, sections, title = "View from above") {
    this.sections = sections;
    this.drawing = h("div", { class: "above", tabindex: 0, role: "group", "aria-label": "The view; plus and minus zoom, arrows move it" });
    this.zoom = 1;
    this.middle = null; // Of what is shown, metres; that of the ground while all of it is.
    this.buttons = h("div", { class: "row zoom" }, [["+", "Zoom in", 1.5], ["−", "Zoom out", 1 / 1.5], ["All", "Show all of it", 0]].map(
      ([sign, words, by]) => h("button", { type: "button", class: "quiet", "aria-label": words, onclick: () => this.look(by) }, sign)));
    this.drawing.addEventListener("keydown", (event) => this.key(event));
    this.drawing.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.drawing.addEventListener("pointerdown", (event) => this.drag(event));
    this.legend = h("ul", { class: "legend small" });
    this.facts = h("ul", { class: "facts small" });
    this.strangers = h("p", { class: "small strangers", hidden: true });
    this.driven = h("div");
    this.known = h("details", {}, h("summary", {}, "What holds now"), this.facts);
    this.card = h("section", { class: "card scene", "aria-label": title }, h("h2", {}, title), this.buttons, this.drawing, this.legend, this.driven, this.strangers, this.known);
    root.append(this.card);
    sections.listen((names) => touches(names, "scene", "world", "places", "scan", "path", "route", "grid", "camera", "eye", "drives") && this.update());
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
        this.facts.replaceChildren(...world.facts.map((fact) => h("li", {}, plain(fact))));
      }
    }
    const bounds = (scene && scene.bounds) || around(places);
    show(this.drawing, Boolean(bounds));
    show(this.buttons, Boolean(bounds));
    show(this.legend, Boolean(bounds));
    if (!bounds) return;
    this.ground = new Ground(bounds, Boolean(scene && scene.arms.length && !Object.keys(scene.bases).length) || !scene);
    this.draw(this.ground.seen(this.zoom, this.middle), scene, world, places);
  }

  // Zoom by a factor, or show all of it.
  look(by, middle = this.middle) {
    this.zoom = by ? Math.min(CLOSEST, Math.max(1, this.zoom * by)) : 1;
    this.middle = this.zoom > 1 ? middle : null;
    this.update();
  }

  // Move what is shown by a part of its width and height.
  move(across, along) {
    const { left, top, wide, tall } = this.ground;
    this.look(1, [left + wide * (0.5 + across), top + tall * (0.5 + along)]);
  }

  key(event) {
    const zoom = { "+": 1.5, "=": 1.5, "-": 1 / 1.5, 0: 0 }[event.key];
    const way = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[event.key];
    if (zoom === undefined && (!way || this.zoom === 1)) return;
    event.preventDefault();
    if (way) this.move(...way);
    else this.look(zoom);
  }

  wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return; // Else the page is scrolled.
    event.preventDefault();
    this.look(event.deltaY < 0 ? 1.2 : 1 / 1.2);
  }

  drag(begun) {
    if (this.zoom === 1 || begun.button) return;
    const box = this.drawing.getBoundingClientRect();
    let [x, y] = [begun.clientX, begun.clientY];
    const follow = (event) => {
      this.move((x - event.clientX) / box.width, (y - event.clientY) / box.height);
      [x, y] = [event.clientX, event.clientY];
    };
    addEventListener("pointermove", follow);
    addEventListener("pointerup", () => removeEventListener("pointermove", follow), { once: true });
  }

  draw(ground, scene, world, places) {
    const things = (world ? world.things : []).filter((thing) => thing.x !== null);
    things.sort((a, b) => a.z + a.size[2] / 2 - (b.z + b.size[2] / 2));
    const unknown = scene ? things.filter((thing) => !scene.known.includes(thing.name)) : [];
    const still = things.filter((thing) => !thing.movable && !unknown.includes(thing));
    const strangers = together(unknown);
    this.tell(strangers, this.sections.get("drives") || []);
    const parts = [
      ground.grid(),
      this.grid(ground),
      ...(scene && scene.workspace ? [ground.area(scene.workspace, "workspace")] : []),
      ...still.map((thing) => shape(ground, thing)),
      ...(scene ? scene.zones.map((zone) => zoneOf(ground, zone)) : []),
      ...(scene ? scene.walls.map((wall) => ground.line([wall.from, wall.to], "wall", ground.long(wall.width))) : []),
      ...unknown.map((thing) => shape(ground, thing, "unknown")),
      ...things.filter((thing) => thing.movable && !unknown.includes(thing)).map((thing) => shape(ground, thing)),
      ...["route", "path"].map((name) => this.sections.get(name)).map((line, at) => line && ground.line(line, at ? "path" : "route")),
      ...(this.sections.get("scan") || []).map(([x, y]) => s("circle", { ...ground.at(x, y), r: 1.3, class: "scan" })),
      ...(this.sections.get("drives") || []).map((drive) => driveOf(ground, drive, scene)),
      ...(world ? world.robots : []).map((robot) => robotOf(ground, robot, scene)),
      ...places.slice(-12).map((place, at, all) => placeOf(ground, place, at === all.length - 1)),
      ...(this.sections.get("eye") === "camera" ? [cameraOf(ground, this.sections.get("camera"))] : []),
      ...labels(ground, things.filter((thing) => thing.movable || !scene || (strangers.length <= NAMED && strangers.some((each) => each.name === thing.name)) || scene.known.includes(thing.name))),
      ground.axes(),
    ];
    const said = things.filter((thing) => thing.movable).map((thing) => `${plain(thing.name)} at ${thing.x.toFixed(2)}, ${thing.y.toFixed(2)} m`).join("; ");
    this.drawing.replaceChildren(s("svg", { viewBox: ground.box(), role: "img",
      "aria-label": `From above, metres: ${said || "nothing is seen yet"}.` }, parts.filter(Boolean)));
    const key = [["target", "target"], ["aim", "aim, less the learned offset"], ["achieved", "where it ended"]]
      .filter(([kind]) => places.some((place) => (kind === "aim" ? place.aim && apart(place) : place[kind])));
    if (scene && scene.workspace) key.push(["workspace", "where the tool may go"]);
    if (scene && scene.zones.length) key.push(["zone", "keep out"]);
    if (unknown.length) key.push(["unknown", "seen, not known before"]);
    const marked = new Set((this.sections.get("drives") || []).flatMap((drive) => drive.marks.map((mark) => mark.what)));
    key.push(...Object.entries(MARKS).filter(([what]) => marked.has(what)).map(([what, [one]]) => [what, one]));
    if (this.sections.get("path")) key.push(["path", "driven"]);
    if (this.sections.get("route")) key.push(["route", "planned"]);
    if (this.sections.get("eye") === "camera" && this.sections.get("camera")) key.push(["camera", "the camera, and what it sees"]);
    this.legend.replaceChildren(...key.map(([kind, text]) => h("li", {},
      s("svg", { width: 14, height: 10, "aria-hidden": "true" }, s("rect", { x: 1, y: 1, width: 12, height: 8, rx: 2, class: `key ${kind}` })), ` ${text}`)));
  }

  // How far bases drove and what happened on the way, and what was seen that no file describes, in words.
  tell(strangers, drives) {
    const bases = [...new Set(drives.map((drive) => drive.robot))];
    this.driven.replaceChildren(...bases.map((robot) => {
      const own = drives.filter((drive) => drive.robot === robot);
      const counts = Object.entries(MARKS).map(([what, [one, more]]) => {
        const count = own.flatMap((drive) => drive.marks).filter((mark) => mark.what === what).length;
        return `${count || "no"} ${count === 1 ? one : more}`;
      });
      const metres = own.reduce((sum, drive) => sum + drive.metres, 0);
      return h("p", { class: "small" }, `${robot} drove ${metres.toFixed(1)} m in ${own.length} ${own.length === 1 ? "drive" : "drives"}: ${counts.join(", ")}.`);
    }));
    show(this.strangers, strangers.length > 0);
    const told = strangers.slice(0, NAMED).map((thing) => `${plain(thing.name)}, about ${thing.size.map((each) => Math.round(100 * each)).join(" x ")} cm`);
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

  area([lowX, lowY, highX, highY], kind) {
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

  // Show a part of it: the factor, and the middle in pixels of the whole.
  seen(zoom, middle) {
    this.k = 1 / zoom; // Of a pixel on the page.
    [this.wide, this.tall] = [this.width * this.k, this.height * this.k];
    const [x, y] = middle || [this.width / 2, this.height / 2];
    this.left = Math.min(this.width - this.wide, Math.max(0, x - this.wide / 2));
    this.top = Math.min(this.height - this.tall, Math.max(0, y - this.tall / 2));
    return this;
  }

  box() {
    return [this.left - BESIDE * this.k, this.top, this.wide + BESIDE * this.k, this.tall + BELOW * this.k].map((value) => value.toFixed(2)).join(" ");
  }

  // Metres along the left and the lower side of what is shown, and which axis each is.
  axes() {
    const { left, top, wide, tall, k } = this;
    const step = TICKS.find((each) => this.long(each) >= 50 * k) || TICKS[TICKS.length - 1];
    const text = (x, y, said, anchor) => s("text", { x, y, "font-size": 11 * k, "stroke-width": 0, "text-anchor": anchor }, said);
    const ticks = (low, high_) => {
      const found = [];
      for (let at = Math.ceil(low / step); at * step <= high_; at += 1) found.push(at * step);
      return found;
    };
    const [across, along] = this.turned ? ["y", "x"] : ["x", "y"];
    const place = (axis, metres) => (axis === "x" ? this.point(metres, this.low[1]) : this.point(this.low[0], metres));
    const said = (metres) => String(Number(metres.toFixed(2)));
    const [lower, side] = [top + tall, left];
    const range = { x: [this.low[0], this.high[0]], y: [this.low[1], this.high[1]] };
    const below = ticks(...range[across]).map((metres) => [place(across, metres)[0], metres]).filter(([x]) => x >= left + 12 * k && x <= left + wide - 52 * k);
    const beside = ticks(...range[along]).map((metres) => [place(along, metres)[1], metres]).filter(([y]) => y >= top + 18 * k && y <= lower - 4 * k);
    return s("g", { class: "axes" },
      s("rect", { x: side - BESIDE * k, y: top, width: BESIDE * k, height: tall + BELOW * k }),
      s("rect", { x: side - BESIDE * k, y: lower, width: wide + BESIDE * k, height: BELOW * k }),
      s("polyline", { points: `${side},${top} ${side},${lower} ${side + wide},${lower}`, "stroke-width": k }),
      below.map(([x, metres]) => [s("line", { x1: x, x2: x, y1: lower, y2: lower + 4 * k, "stroke-width": k }), text(x, lower + 14 * k, said(metres), "middle")]),
      beside.map(([y, metres]) => [s("line", { x1: side - 4 * k, x2: side, y1: y, y2: y, "stroke-width": k }), text(side - 6 * k, y + 4 * k, said(metres), "end")]),
      text(side + wide - 2 * k, lower + 14 * k, this.turned ? `← ${across}, m` : `${across}, m →`, "end"),
      text(side - 6 * k, top + 10 * k, `↑ ${along}`, "end"));
  }
}

function shape(ground, thing, special = "") {
  const { cx, cy } = ground.at(thing.x, thing.y);
  const [length, width] = thing.size.map((each) => ground.long(each));
  const paint = thing.movable ? PAINTS[thing.colour] : undefined;
  const kind = `thing ${special || (thing.movable ? "movable" : thing.shape === "region" ? "area" : "place")} ${thing.lost ? "lost" : ""}`;
  const named = s("title", {}, `${plain(thing.name)}${thing.lost ? ", not seen for a while" : ""}`);
  if (["cylinder", "bowl", "sphere", "disc"].includes(thing.shape)) {
    return s("circle", { cx, cy, r: Math.max(2, length / 2), class: kind, fill: paint }, named);
  }
  const [a, b] = ground.turned ? [width, length] : [length, width];
  return s("rect", { x: -a / 2, y: -b / 2, width: a, height: b, rx: 2, class: kind, fill: paint,
    transform: `translate(${cx} ${cy}) rotate(${ground.turn(thing.yaw)})` }, named);
}

// Names below their things, or where no other name or thing is: around them, and farther off with a line to them.
function labels(ground, things) {
  const { k } = ground;
  const named = things.filter((thing) => thing.name !== "table");
  const around = (thing) => Math.max(6 * k, ground.long(Math.max(thing.size[0], thing.size[1])) / 2);
  const boxOf = (x, y, wide, high) => [x - wide, y - high, x + wide, y + high];
  const meets = (one, other) => one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3];
  const solid = named.filter((thing) => thing.movable).map((thing) => boxOf(...ground.point(thing.x, thing.y), around(thing) * 0.8, around(thing) * 0.8));
  const taken = [];
  // Pixels from a thing's outline to a place, upright more than sideways: a name is wide.
  const apartFrom = (thing, px, py) => {
    const [x, y] = ground.point(thing.x, thing.y);
    return Math.max(1, Math.hypot((px - x) / 2, py - y));
  };
  return named.map((thing) => {
    const text = plain(thing.name);
    const [x, y] = ground.point(thing.x, thing.y);
    const [wide, high, off] = [3.3 * k * text.length + 2 * k, 7 * k, around(thing)];
    const places = thing.movable ? [] : [[x, y]];
    for (const ring of [1, 2.2, 3.6, 5.2]) {
      for (const [ax, ay] of [[0, 1], [0, -1], [1, 0], [-1, 0], [1, 1], [-1, 1], [1, -1], [-1, -1]]) {
        places.push([x + ax * (off + wide + (ring - 1) * 14 * k), y + ay * (off + high + (ring - 1) * 14 * k)]);
      }
    }
    const boxes = places.map(([px, py]) => boxOf(px, py, wide, high));
    const inside = (box) => box[0] >= ground.left && box[1] >= ground.top && box[2] <= ground.left + ground.wide && box[3] <= ground.top + ground.tall;
    const clear = (box, others) => !others.some((other) => meets(box, other));
    // Whether nobody takes it for another thing's name.
    const own = ([px, py]) => named.every((other) => other === thing || apartFrom(other, px, py) > 1.3 * apartFrom(thing, px, py));
    const free = boxes.map((box) => inside(box) && clear(box, taken) && clear(box, solid));
    let at = places.findIndex((place, each) => each < 8 && free[each] && own(place));
    const far = at < 0;
    if (far) at = Math.max(0, free.indexOf(true, 8), boxes.findIndex((box) => clear(box, taken)));
    const [px, py] = places[at];
    taken.push(boxes[at]);
    return [far ? s("line", { class: "leader", x1: x, y1: y, x2: px, y2: py, "stroke-width": k }) : null,
      s("text", { x: px.toFixed(1), y: (py + 4 * k).toFixed(1), "font-size": 11 * k, "stroke-width": 3 * k, "text-anchor": "middle" }, text)];
  }).flat();
}

// The camera at its place, or at the edge where it stands outside, with what lies in its view.
function cameraOf(ground, camera) {
  if (!camera) return null;
  const { k } = ground;
  const [x, y] = ground.point(...camera.at);
  const [ax, ay] = ground.point(camera.at[0] + camera.ahead[0], camera.at[1] + camera.ahead[1]);
  const length = Math.hypot(ax - x, ay - y);
  if (length < 1e-3) return s("g", { class: "eye" }, s("circle", { cx: x, cy: y, r: 6 * k }, s("title", {}, "the camera, looking down")));
  const angle = Math.atan2(ay - y, ax - x);
  const edge = [Math.min(ground.left + ground.wide - 8 * k, Math.max(ground.left + 8 * k, x)), Math.min(ground.top + ground.tall - 8 * k, Math.max(ground.top + 8 * k, y))];
  const half = camera.opening * Math.PI / 360;
  const ray = (turn) => [edge[0] + Math.cos(angle + turn) * 2000, edge[1] + Math.sin(angle + turn) * 2000].map((value) => value.toFixed(1)).join(",");
  return s("g", { class: "eye" },
    s("polygon", { class: "sight", points: `${ray(-half)} ${edge.join(",")} ${ray(half)}` }),
    s("path", { transform: `translate(${edge[0].toFixed(1)} ${edge[1].toFixed(1)}) rotate(${(angle * 180 / Math.PI).toFixed(1)}) scale(${k})`, d: "M-6-5H3V5H-6ZM3-2L8-5V5L3 2Z" },
      s("title", {}, "the camera; it looks along the shaded part")));
}

// Where a drive ended, as the base's footprint, and what happened on its way.
function driveOf(ground, drive, scene) {
  const radius = ground.long(((scene && scene.bases[drive.robot]) || { radius: 0.18 }).radius);
  return s("g", {}, drive.stop.length === 3 ? s("circle", { ...ground.at(drive.stop[0], drive.stop[1]), r: radius, class: "stop-of" }, s("title", {}, `${drive.robot} after a drive`)) : null,
    drive.marks.map((mark) => s("circle", { ...ground.at(mark.x, mark.y), r: radius, class: `mark ${mark.what}` }, s("title", {}, `${drive.robot}: ${(MARKS[mark.what] || [mark.what])[0]}`))));
}

function zoneOf(ground, zone) {
  const points = zone.corners.map(([x, y]) => ground.point(x, y).join(","));
  if (points.length === 1) return s("circle", { ...ground.at(...zone.corners[0]), r: ground.long(zone.radius), class: "zone" });
  return s("polygon", { points: points.join(" "), class: "zone", "stroke-width": Math.max(1.5, 2 * ground.long(zone.radius)) },
    s("title", {}, `keep out: ${plain(zone.name)}`));
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
    return s("path", { class: kind, d: `M${px - 6} ${py}H${px + 6}M${px} ${py - 6}V${py + 6}` }, s("title", {}, `${kind}: ${plain(place.text)}`));
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
