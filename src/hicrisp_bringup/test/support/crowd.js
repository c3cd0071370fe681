// Draws things that stand close together, and a camera, as the page draws them, and says where their names are.
async (seed) => {
  const [{ ScenePanel }, { Sections }] = await Promise.all([import("/js/scene.js"), import("/js/sections.js")]);
  let state = seed + 1;
  const draw = () => (state = (state * 16807) % 2147483647) / 2147483647;
  draw();
  const things = [...Array(12).keys()].map((at) => ({ name: `sugar_cube_${at}`, x: 0.4 + 0.25 * draw(), y: 0.25 * draw(),
    yaw: 0, shape: "box", size: [0.05, 0.05, 0.05], movable: true, type: "box", attributes: {} }));
  const scene = { name: "crowd", seed, arms: ["panda"], bases: {}, bounds: [-0.2, -0.6, 1.2, 0.7], walls: [], areas: [],
    zones: [], known: [] };
  const root = document.body.appendChild(document.createElement("div"));
  root.style.width = "440px";
  const sections = new Sections();
  new ScenePanel(root, sections);
  sections.change({ scene, world: { things, robots: [], facts: [] }, eye: "camera",
    camera: { at: [1.05, 0], ahead: [-0.6, 0], opening: 55 } });
  sections.tell();
  const box = (element) => element.getBoundingClientRect().toJSON();
  const names = [...root.querySelectorAll("svg text")].filter((each) => /^sugar/.test(each.textContent));
  const found = { names: names.map(box), camera: root.querySelectorAll(".eye path").length,
    sight: box(root.querySelector(".sight")) };
  root.remove();
  return found;
}
