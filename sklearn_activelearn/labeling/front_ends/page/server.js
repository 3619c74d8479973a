// Requests to the server, and helpers that all modules use.

export const $ = (id) => document.getElementById(id);
export const who = new URLSearchParams(location.search).get("who");
const token = takeToken();
const PAUSE = 300; // milliseconds between two requests while rows are being read

/** Move the token from the address to the memory of this tab. */
function takeToken() {
  const found = new URLSearchParams(location.hash.slice(1)).get("token");
  if (found) {
    sessionStorage.setItem("token", found);
    history.replaceState(null, "", location.pathname + location.search);
  }
  return sessionStorage.getItem("token");
}

export async function post(verb, body) {
  let response;
  try {
    response = await fetch(`api/${verb}`, {
      method: "POST",
      headers: { "Authorization": `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ ...body, who }),
    });
  } catch {
    throw new Error(
      "The server does not answer. All confirmed answers are saved. Run the same " +
      "command again and open the address that it prints."
    );
  }
  if (!response.ok) throw new Error((await response.json()).error);
  return response;
}

/** Send a request, again and again while the server is getting ready. */
export async function ask(verb, body = {}) {
  for (;;) {
    const found = await (await post(verb, body)).json();
    if (!found.preparing) return found;
    $("counts").textContent = found.preparing;
    await new Promise((go) => setTimeout(go, PAUSE));
  }
}

export function fail(error) {
  $("error").textContent = error.message;
  $("error").hidden = false;
}

/** Run an action, and show its error. */
export async function attempt(action) {
  $("error").hidden = true;
  try {
    return await action();
  } catch (error) {
    fail(error);
  }
}

/** Make an element; children that are strings become text, never markup. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

export function makeButton(action, attributes, ...children) {
  const button = make("button", attributes, ...children);
  button.addEventListener("click", action);
  return button;
}

/** Call functions when the elements with these ids are clicked. */
export function onClick(actions) {
  for (const [id, action] of Object.entries(actions)) $(id).addEventListener("click", () => action());
}

export const NO_LABEL = "no label applies";

/** Return a label, or the labels of a row, in words. */
export const describeLabel = (label) => (Array.isArray(label) ? label.join(", ") || NO_LABEL : label);

export const when = (at) =>
  new Date(at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
