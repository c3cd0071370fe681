// The camera's picture, asked for only while somebody can see it.

import { h, show } from "./dom.js";

const PERIOD = 2000;

export class Camera {
  constructor(root, wanted) {
    this.wanted = wanted;
    this.image = h("img", { alt: "The scene as its camera sees it now" });
    this.card = h("section", { class: "card camera", "aria-label": "Camera", hidden: true }, h("h2", {}, "Camera"), this.image);
    root.append(this.card);
    this.look();
  }

  async look() {
    if (this.wanted() && !document.hidden) {
      try {
        const answer = await fetch("/api/camera");
        const there = answer.status === 200;
        if (there) {
          const old = this.image.src;
          this.image.src = URL.createObjectURL(await answer.blob());
          if (old) URL.revokeObjectURL(old);
        }
        show(this.card, there);
      } catch {
        // The link says that the server is away; the last picture stays.
      }
    }
    setTimeout(() => this.look(), PERIOD);
  }
}
