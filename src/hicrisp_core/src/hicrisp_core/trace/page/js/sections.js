// The sections that the server hands out, and who wants to know when one of them changes.

// The states of a task that has not ended.
export const LIVE = new Set(["queued", "planning", "running", "correcting", "awaiting_approval", "paused", "asking"]);

export class Sections {
  constructor() {
    this.values = {};
    this.listeners = [];
    this.changed = new Set();
    this.waits = false;
  }

  get(name) {
    return this.values[name];
  }

  listen(listener) {
    this.listeners.push(listener);
  }

  // Everything anew, as after a connection was lost.
  replace(values) {
    for (const name of Object.keys(this.values)) if (!(name in values)) this.change({ [name]: null });
    this.change(Object.fromEntries(Object.entries(values).filter(([name, value]) => !same(this.values[name], value))));
  }

  change(values) {
    for (const [name, value] of Object.entries(values)) {
      if (value === null && name.startsWith("step:")) delete this.values[name];
      else this.values[name] = value;
      this.changed.add(name);
    }
    if (this.waits || !this.changed.size) return;
    this.waits = true;
    // Pages that are not shown get no frames, but a timer in the background.
    const later = document.hidden ? (work) => setTimeout(work, 0) : requestAnimationFrame;
    later(() => this.tell());
  }

  tell() {
    const names = this.changed;
    this.changed = new Set();
    this.waits = false;
    for (const listener of this.listeners) listener(names);
  }
}

const same = (one, other) => one === other || (one !== undefined && JSON.stringify(one) === JSON.stringify(other));

export const touches = (names, ...wanted) => wanted.some((name) => names.has(name));
