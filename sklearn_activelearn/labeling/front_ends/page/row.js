// Contents of a row: a text, a table of cells or an image; its answers and notes.

import { make, post, when } from "./server.js";

let zoom = 1;

export async function content({ id, kind, item }) {
  if (kind === "image") return picture(id, item);
  if (kind === "text") return make("p", { dir: "auto" }, item);
  return make("dl", {}, ...Object.entries(item).flatMap(
    ([name, cell]) => [make("dt", {}, name), make("dd", { dir: "auto" }, cell)]
  ));
}

async function picture(id, name) {
  const words = name || `Row ${id}`;
  const image = make("img", { alt: `Image ${words}` });
  try {
    image.src = URL.createObjectURL(await (await post("image", { id })).blob());
    await image.decode();
    if (image.naturalWidth < 128) image.className = "small";
    URL.revokeObjectURL(image.src);
  } catch (error) {
    return make("p", {}, `${words} cannot be shown: ${error.message}`);
  }
  zoom = 1;
  image.addEventListener("click", () => enlarge(zoom > 1 ? 1 / zoom : 2));
  const frame = make("div", { class: "frame", tabindex: "0", role: "group",
    "aria-label": "Image; the arrow keys move it when it is enlarged" }, image);
  return make("figure", {}, frame,
    make("figcaption", {}, `${words} · a click, + and − change the size`));
}

/** Enlarge the image on the card, if there is one. */
export function enlarge(factor) {
  const image = document.querySelector("#card img");
  if (!image) return;
  const before = image.getBoundingClientRect().width / zoom;
  zoom = Math.min(8, Math.max(1, zoom * factor));
  image.classList.toggle("zoomed", zoom > 1);
  image.style.width = zoom > 1 ? `${before * zoom}px` : "";
}

/** Return the notes on a row as list items, and the answers if they are wanted. */
export const facts = ({ answers, notes }, withAnswers) => [...(withAnswers ? answers : []), ...notes]
  .map(({ words, at }) => make("li", { dir: "auto" }, `${words}, ${when(at)}`));
