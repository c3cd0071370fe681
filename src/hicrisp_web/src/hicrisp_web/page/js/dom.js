// Elements from values. Text is only ever set as text: nothing from a run or a user is read as markup.

const SVG = "http://www.w3.org/2000/svg";

export const $ = (id) => document.getElementById(id);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== undefined && child !== null && child !== false && child !== "") element.append(child);
  }
  return element;
}

export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
export const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

// Text that only a screen reader says.
export const unseen = (text) => h("span", { class: "unseen" }, text);

export function show(element, visible) {
  if (element.hidden === visible) element.hidden = !visible;
}

export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// A text with a capital and a full stop.
export function sentence(text) {
  if (!text) return "";
  const begun = text[0].toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}

// Things have one name on the page: the one that people say, "red box" for red_box.
let ids = null;

export function knowNames(names) {
  const found = [...new Set(names)].filter((name) => name.includes("_")).sort((a, b) => b.length - a.length);
  ids = found.length ? new RegExp(`\\b(?:${found.map((name) => name.replace(/[^\w]/g, "\\$&")).join("|")})\\b`, "g") : null;
}

export const plain = (text) => (ids && text ? text.replace(ids, (name) => name.replaceAll("_", " ")) : text);

// A state or verdict as people read it.
export const inWords = (state) => (state === "stopped" ? "stopped by you" : (state || "").replaceAll("_", " "));

export function seconds(value) {
  if (value === null || value === undefined) return "–";
  if (value < 60) return `${value.toFixed(1)} s`;
  const minutes = Math.floor(value / 60);
  return minutes < 60 ? `${minutes} min ${Math.floor(value % 60)} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export const whole = (value) => (value === null || value === undefined ? "–" : Math.round(value).toLocaleString("en"));

// Calls something once the page has been quiet for a while.
export function settled(wait, work) {
  let timer = 0;
  return (...told) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...told), wait);
  };
}
