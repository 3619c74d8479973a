"use strict";

const $ = (id) => document.getElementById(id);
const who = new URLSearchParams(location.search).get("who");
const token = takeToken();
const PAUSE = 300; // milliseconds between two questions whether the server is ready

/** Move the token from the address to this tab's memory. */
function takeToken() {
  const found = new URLSearchParams(location.hash.slice(1)).get("token");
  if (found) {
    sessionStorage.setItem("token", found);
    history.replaceState(null, "", location.pathname + location.search);
  }
  return sessionStorage.getItem("token");
}

/** Make an element; children that are strings become text, never markup. */
function make(name, attributes = {}, ...children) {
  const svg = ["svg", "path", "circle", "text"].includes(name);
  const element = svg
    ? document.createElementNS("http://www.w3.org/2000/svg", name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

async function post(verb, body) {
  let response;
  try {
    response = await fetch(`api/${verb}`, {
      method: "POST",
      headers: {
        "Authorization": `Bearer ${token}`,
        "Content-Type": "application/json",
      },
      body: JSON.stringify({ ...body, who }),
    });
  } catch {
    throw new Error(
      "The server does not answer. What it confirmed is saved. Run the same command " +
      "again and open the address that it prints."
    );
  }
  if (!response.ok) throw new Error((await response.json()).error);
  return response;
}

/** Ask the server; wait while it is getting ready. */
async function ask(verb, body = {}) {
  for (;;) {
    const found = await (await post(verb, body)).json();
    if (!found.preparing) return found;
    $("counts").textContent = "Getting ready: the rows are being read";
    await new Promise((go) => setTimeout(go, PAUSE));
  }
}

function fail(error) {
  $("error").textContent = error.message;
  $("error").hidden = false;
}

/** Do something, and show why if it fails. */
async function attempt(action) {
  $("error").hidden = true;
  try {
    return await action();
  } catch (error) {
    fail(error);
  }
}

function when(at) {
  const time = new Date(at);
  if (isNaN(time)) return at;
  return time.toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
}

/** What this browser remembers, where it may. */
const settings = {
  get(name) {
    try { return localStorage.getItem(name) ?? ""; } catch { return ""; }
  },
  set(name, value) {
    try { localStorage.setItem(name, value); } catch { /* for this page only, then */ }
  },
};
