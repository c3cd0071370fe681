// The server: the stream of sections, questions to it, and actions, which need the token.

const KEY = "hicrisp-token";

// The token comes behind the # of the printed address; it is taken out of the address bar and kept for this tab.
export function takeToken() {
  const found = /(?:^#|&)token=([\w-]+)/.exec(location.hash);
  if (!found) return;
  sessionStorage.setItem(KEY, found[1]);
  history.replaceState(null, "", `${location.pathname}#live`);
}

export const headers = () => ({ Authorization: `Bearer ${sessionStorage.getItem(KEY) || ""}` });

export async function get(path) {
  const answer = await fetch(path, { headers: headers() });
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.message || `The server answers ${answer.status}.`);
  return value;
}

// The address of a file of a run.
export const fileOf = (run, name) => `/api/runs/${encodeURIComponent(run)}/files/${name.split("/").map(encodeURIComponent).join("/")}`;

// What is done in the order in which it was asked for: no task is handed in before the level that was chosen for it holds.
const IN_ORDER = new Set(["autonomy", "pause", "resume", "submit"]);
let before = Promise.resolve();

// Always a value: {ok, message, ...}. What ends something waits for nothing.
export function perform(action, fields = {}) {
  if (!IN_ORDER.has(action)) return post(action, fields);
  before = before.then(() => post(action, fields));
  return before;
}

async function post(action, fields) {
  try {
    const answer = await fetch(`/api/do/${action}`, {
      method: "POST", headers: { ...headers(), "Content-Type": "application/json" }, body: JSON.stringify(fields),
    });
    return await answer.json();
  } catch {
    return { ok: false, message: "The dashboard's server does not answer." };
  }
}

// Follows the stream and comes back by itself when the connection was lost.
export function follow(sections, connected) {
  let source = null;
  let retry = 0;
  const open = () => {
    source = new EventSource("/api/live");
    source.addEventListener("whole", (event) => {
      sections.replace(JSON.parse(event.data));
      connected(true);
    });
    source.addEventListener("changes", (event) => sections.change(JSON.parse(event.data)));
    source.addEventListener("error", () => {
      connected(false);
      source.close();
      clearTimeout(retry);
      retry = setTimeout(open, 1000);
    });
  };
  open();
}
