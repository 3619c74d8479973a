async function begin() {
  const found = await attempt(() => ask("start"));
  if (!found) return;
  ({ classes, votes } = found);
  typing = new TypeAhead(classes);
  $("title").textContent = document.title = found.title || "Label";
  showCounts(found);
  showGuide(found.guide);
  $("classes").append(...classes.map(classButton));
  $("search").elements.label.append(
    ...classes.map(({ label }) => make("option", { value: label }, label))
  );
  send("next", {}, "");
}

// the address of a server that was started again, in the same tab
addEventListener("hashchange", () => location.reload());
begin();
