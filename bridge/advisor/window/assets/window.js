// Keeps figures fresh and shows times in the reader's zone. Every page reads and every form works without it.
"use strict";
(() => {
  const main = document.getElementById("main");

  // Times: UTC as the server wrote them stays in the tooltip.
  const two = (number) => String(number).padStart(2, "0");
  const format = (at) =>
    at.getFullYear() + "-" + two(at.getMonth() + 1) + "-" + two(at.getDate()) + " " + two(at.getHours()) + ":" + two(at.getMinutes());
  const localise = (root) => {
    for (const time of root.querySelectorAll("time[datetime]:not([title])")) {
      const at = new Date(time.dateTime);
      if (Number.isNaN(at.getTime())) continue;
      time.title = time.textContent + " UTC";
      time.textContent = format(at);
    }
  };
  localise(document);
  const zone = document.getElementById("zone");
  if (zone) zone.textContent = zone.dataset.local;

  // Only pages that show what runs have a version.
  if (!main || !main.dataset.version) return;

  // The same words as the server's.
  const duration = (ms) => {
    const s = Math.floor(ms / 1000);
    if (s < 120) return s + " s";
    if (s < 7200) return Math.floor(s / 60) + " min" + (s % 60 ? " " + (s % 60) + " s" : "");
    return Math.floor(s / 3600) + " h " + Math.floor((s % 3600) / 60) + " min";
  };
  const put = (node, text) => {
    if (node && node.textContent !== text) node.textContent = text;
  };

  // Counting figures: when each was zero, by the clock of this browser.
  const zeros = new WeakMap();
  const count = (node, ms) => {
    if (!node) return;
    if (ms === null) {
      zeros.delete(node);
      delete node.dataset.ms;
      put(node, "\u2013");
    } else {
      zeros.set(node, performance.now() - ms);
      node.dataset.ms = ms;
    }
  };
  const begin = () => {
    for (const node of main.querySelectorAll("[data-ms]")) {
      if (!zeros.has(node)) count(node, Number(node.dataset.ms));
    }
  };
  const tick = () => {
    for (const node of main.querySelectorAll("[data-ms]")) {
      put(node, duration(performance.now() - zeros.get(node)));
    }
  };
  begin();

  // The page anew: its live parts replace those here, unless the reader is about to use one of them.
  let asking = false;
  const refresh = async () => {
    if (asking) return;
    asking = true;
    try {
      const answer = await fetch(location.href, { headers: { accept: "text/html" } });
      if (answer.status === 401) return location.reload();
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const version = page.getElementById("main")?.dataset.version;
      if (!version) return;
      let all = true;
      for (const part of page.querySelectorAll("[data-live]")) {
        const old = document.getElementById(part.id);
        if (!old) continue;
        const selected = getSelection();
        const busy = !selected.isCollapsed && selected.containsNode(old, true);
        if (busy) all = false;
        else replace(old, part);
      }
      if (all) main.dataset.version = version;
      document.title = page.title;
      begin();
    } catch {
      // The daemon is gone for a while; the stream tells when it is back.
    } finally {
      asking = false;
    }
  };
  const replace = (old, part) => {
    localise(part);
    const held = old.contains(document.activeElement) ? key(document.activeElement) : null;
    for (const details of old.querySelectorAll("details[open][id]")) {
      const same = part.querySelector("#" + CSS.escape(details.id));
      if (same) same.open = true;
    }
    if (old.textContent !== part.textContent || old.childElementCount !== part.childElementCount) {
      old.replaceChildren(...document.importNode(part, true).childNodes);
      if (held) [...old.querySelectorAll("a, button, summary")].find((node) => key(node) === held)?.focus();
    }
  };
  const key = (node) => node.tagName + (node.getAttribute("href") || node.form?.getAttribute("action") || node.id);

  const take = (event) => {
    const now = JSON.parse(event.data);
    if (String(now.version) !== main.dataset.version) refresh();
    put(main.querySelector("[data-is=running]"), String(now.running));
    put(main.querySelector("[data-is=queued]"), String(now.queued));
    for (const run of now.runs) {
      const card = main.querySelector("[data-run='" + CSS.escape(run.id) + "']");
      if (!card) continue;
      const part = (name) => card.querySelector("[data-is=" + name + "]");
      put(part("stage"), run.stage);
      put(part("note"), run.note);
      count(part("elapsed"), run.elapsed_ms);
      count(part("age"), run.age_ms);
    }
  };

  // One stream, closed while the page is hidden: a browser has six for an address, and a seventh page waits.
  let stream = null;
  let timer = 0;
  const watch = () => {
    clearInterval(timer);
    if (stream) stream.close();
    stream = null;
    if (document.hidden) {
      timer = setInterval(() => main.querySelector("[data-run]") && refresh(), 5000);
      return;
    }
    timer = setInterval(tick, 1000);
    stream = new EventSource("/window/events");
    stream.addEventListener("now", take);
    // Refused for good: signed out, or too many streams. The page itself tells which.
    stream.addEventListener("error", () => {
      if (!stream || stream.readyState !== EventSource.CLOSED) return;
      refresh();
      setInterval(refresh, 5000);
    });
  };
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) refresh();
    watch();
  });
  addEventListener("pagehide", () => stream && stream.close());
  addEventListener("pageshow", (event) => event.persisted && watch());
  watch();
})();
