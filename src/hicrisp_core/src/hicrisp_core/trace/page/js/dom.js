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

// A text with a full stop.
export const closed = (text) => (!text || /[.!?…]$/.test(text) ? text : `${text}.`);

// A text with a capital and a full stop.
export const sentence = (text) => (text ? closed(text[0].toUpperCase() + text.slice(1)) : "");

// Things have one name on the page: the one that people say, "red box" for red_box.
let ids = null;

export function knowNames(sections) {
  const [scene, world] = [sections.get("scene") || { known: [] }, sections.get("world") || { things: [] }];
  const names = [...scene.known, ...world.things.map((thing) => thing.name)];
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

// The next of 1, 2, 5, 10 times a power of ten.
export function nice(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5].find((each) => value <= each * power) || 10);
}

// A picture with its caption that fills the window when it is pressed.
export function enlarged(source, caption) {
  const open = () => {
    const large = h("dialog", { class: "large", "aria-label": caption, onclick: () => large.close(), onclose: () => large.remove() },
      h("img", { src: source, alt: caption }), h("button", { type: "button", class: "quiet" }, "Close"));
    document.body.append(large);
    large.showModal();
  };
  return h("figure", {}, h("button", { type: "button", class: "enlarge", "aria-label": `Enlarge: ${caption}`, onclick: open },
    h("img", { src: source, alt: caption, loading: "lazy" })), h("figcaption", { class: "soft small" }, caption));
}

// Light and dark: as the system is set until a press on the button; what was chosen is kept where that is possible.
export function changesTheme(button) {
  const root = document.documentElement;
  const kept = (theme) => {
    try {
      return theme ? localStorage.setItem("hicrisp-theme", theme) : localStorage.getItem("hicrisp-theme");
    } catch {
      return null; // A page that stands alone may keep nothing.
    }
  };
  if (["light", "dark"].includes(kept())) root.dataset.theme = kept();
  button.addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    kept(root.dataset.theme);
  });
}
