// The page: which view is shown, the link to the server, the stop, light and dark.

import { Ask } from "./ask.js";
import { Camera } from "./camera.js";
import { $, changesTheme, h, knowNames, setText, show } from "./dom.js";
import { Compare } from "./compare.js";
import { History } from "./history.js";
import { Replay } from "./replay.js";
import { RunPanel } from "./run.js";
import { ScenePanel } from "./scene.js";
import { Sections, touches } from "./sections.js";
import { fileOf, follow, get, perform, takeToken } from "./server.js";
import { TaskForm } from "./task.js";
import { TimelinePanel } from "./timeline.js";
import { Workspace } from "./workspace.js";

const VIEWS = ["live", "history", "replay", "compare"];
const live = new Sections();
let may = { steer: false, live: true };
let linked = false;

function showView() {
  const [name, rest] = location.hash.slice(1).split("=");
  const view = VIEWS.includes(name) ? name : may.live ? "live" : "history";
  for (const each of VIEWS) show($(each), each === view);
  for (const each of ["live", "history"]) {
    const current = each === view || (each === "history" && view !== "live");
    if (current) $(`to-${each}`).setAttribute("aria-current", "page");
    else $(`to-${each}`).removeAttribute("aria-current");
  }
  if (view === "history") past.open();
  if (view === "replay") replay.open(decodeURIComponent(rest || ""));
  else replay.close();
  if (view === "compare") compare.open((rest || "").split(",").map(decodeURIComponent));
}

function showLink() {
  const link = live.get("link") || {};
  const [text, kind] = link.replay ? ["Replay", "good"]
    : !linked ? ["No connection", "bad"]
      : !link.supervisor ? ["Supervisor is away", "bad"]
        : may.steer ? ["Connected", "good"] : ["Watching only", "warn"];
  setText($("link"), text);
  $("link").className = `pill ${kind}`;
  document.body.classList.toggle("stale", !linked);
  document.body.classList.toggle("watching", !may.steer);
}

// Whether every robot is seen to stand; undefined where nobody can tell.
function robotsStand() {
  const seen = Object.values(live.get("standing") || {});
  if (!seen.length || seen.includes(null)) return seen.includes(false) ? false : undefined;
  return !seen.includes(false);
}

function showStop() {
  const gate = live.get("gate") || {};
  const status = live.get("status") || {};
  const stand = robotsStand();
  const how = stand === true ? "The robot stands still." : stand === false ? "The robot still moves."
    : "No pose shows whether the robot stands.";
  const lines = [];
  if (gate.stopped) lines.push(`Emergency stop. ${how} Nothing moves until the stop is cleared and you press Resume.`);
  else if (gate.paused) lines.push(`Paused. ${stand ? "The robot stands still." : "The running command ends first."} Nothing begins until you press Resume.`);
  else if (status.state === "canceled") lines.push(`Canceled. ${how}`);
  if (!may.steer && may.live) lines.push("You are watching. To steer, open the address that the launch printed.");
  setText($("banner-text"), lines.join(" "));
  $("banner").className = `banner ${gate.stopped ? "bad" : gate.paused ? "warn" : "info"}`;
  show($("banner"), lines.length > 0);
  show($("clear"), Boolean(gate.stopped));
  if (!gate.stopped) askToClear(false);
  $("stop").disabled = $("clear-ask").disabled = !may.steer;
}

function askToClear(asking) {
  show($("clear-sure"), asking);
  $("clear-ask").setAttribute("aria-expanded", String(asking));
  setText($("clear-ask"), asking ? "Keep the stop" : "Clear the stop");
}

async function press(action) {
  askToClear(false);
  const said = await perform(action);
  if (said.ok) return;
  setText($("banner-text"), said.message);
  show($("banner"), true);
}

takeToken();
const steers = () => may.steer;
const past = new History($("history"));
const replay = new Replay($("replay"), (run) => ({
  part: (at) => get(`/api/runs/${encodeURIComponent(run)}/part?at=${at}`),
  file: (name) => fileOf(run, name),
  links: [h("a", { href: "#history" }, "← Past runs"), " ", h("a", { href: fileOf(run, "report.html"), target: "_blank", rel: "noopener" }, "Report")],
}));
const compare = new Compare($("compare"));
live.listen((names) => {
  if (touches(names, "scene", "world")) knowNames(live);
});
new TaskForm(live, steers);
new Workspace($("workspace"), live);
new Ask($("ask"), live, steers);
new RunPanel($("live-run"), live, { steers, perform, report: (run) => fileOf(run, "report.html") });
new TimelinePanel($("live-side"), live);
new ScenePanel($("live-side"), live);
new Camera($("live-side"), () => linked && may.steer && !$("live").hidden, (eye) => live.get("eye") !== eye && live.change({ eye }));
live.listen((names) => {
  if (touches(names, "link")) showLink();
  if (touches(names, "gate", "standing", "status", "link")) showStop();
});
$("stop").addEventListener("click", () => press("stop")); // Always a stop: what ends one is another control.
$("clear-ask").addEventListener("click", () => askToClear($("clear-sure").hidden));
$("clear-yes").addEventListener("click", () => press("clear"));
changesTheme($("theme"));
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && event.shiftKey && may.steer) press("stop");
});
addEventListener("hashchange", () => {
  takeToken();
  ask();
});

// Asked again where no answer came: a page must not go on watching because one request was lost.
async function ask() {
  may = await get("/api/may").catch(() => {
    setTimeout(() => linked && !may.steer && ask(), 1000);
    return { ...may, steer: false };
  });
  document.body.classList.toggle("past", !may.live);
  showLink();
  showStop();
  showView();
  live.changed.add("status");
  live.tell();
}

ask();
follow(live, (now) => {
  const back = now && !linked;
  linked = now;
  showLink();
  if (back) ask();
});
