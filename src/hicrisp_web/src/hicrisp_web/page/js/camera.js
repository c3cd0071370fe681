// The camera's picture, asked for only while somebody who may steer can see it.

import { h, seconds, setText, show } from "./dom.js";
import { headers } from "./server.js";

const PERIODS = { camera: 500, scene: 2000 };
const OLD = 3; // Seconds from which on a picture is said to be old.
const ALT = {
  camera: "What the robot's camera sees, with the names and the outlines of what was recognised",
  scene: "The scene as the simulated world shows it now",
};

export class Camera {
  // `seen` is told whose picture is shown: camera, scene, or none.
  constructor(root, wanted, seen) {
    this.wanted = wanted;
    this.seen = seen;
    this.image = h("img", { alt: ALT.scene });
    this.age = h("p", { class: "soft small", role: "status" });
    this.card = h("section", { class: "card camera", "aria-label": "Camera", hidden: true }, h("h2", {}, "Camera"), this.image, this.age);
    root.append(this.card);
    this.look();
  }

  async look() {
    let wait = PERIODS.scene;
    if (this.wanted() && !document.hidden) {
      try {
        const answer = await fetch("/api/camera", { headers: headers() });
        const there = answer.status === 200;
        if (there) {
          const eye = answer.headers.get("X-Eye");
          wait = PERIODS[eye] || wait;
          this.seen(eye);
          this.say(eye, Number(answer.headers.get("X-Age")));
          const old = this.image.src;
          this.image.src = URL.createObjectURL(await answer.blob());
          if (old) URL.revokeObjectURL(old);
        }
        show(this.card, there);
      } catch {
        // The link says that the server is away; the last picture stays.
      }
    }
    setTimeout(() => this.look(), wait);
  }

  say(eye, age) {
    this.card.dataset.eye = eye;
    this.image.alt = ALT[eye] || ALT.scene;
    setText(this.age, age > OLD ? `The last picture is ${seconds(age)} old.` : "");
  }
}
