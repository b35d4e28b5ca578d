// Every page with demo data in a real browser: to be read by all, to be used by keyboard, on a small screen,
// without scripts; nothing of a hostile text runs, and nothing is asked of another place.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { becomes, launch, open, serious } from "./browser.mjs";
import { serve } from "./server.mjs";

const demo = process.env.DEMO_PAGES;
const names = readdirSync(path.join(demo, "en"))
  .filter((file) => file.endsWith(".html"))
  .map((file) => file.slice(0, -5));
const served = {};
let browser;

before(async () => {
  for (const folder of ["en", "zh", "hostile"]) served[folder] = await serve(demo, folder);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  for (const each of Object.values(served)) await each.close();
});

for (const [folder, colorScheme] of [["en", "light"], ["en", "dark"], ["zh", "light"]]) {
  test(`axe finds nothing serious: ${folder}, ${colorScheme}`, async (t) => {
    assert.ok(names.length > 20);
    const { origin } = served[folder];
    const { page, faults } = await open(t, browser, origin, { colorScheme });
    for (const name of names) {
      await page.goto(`${origin}/page/${name}`);
      for (const details of await page.locator("summary").all()) await details.click();
      assert.deepEqual(await serious(page), [], name);
    }
    assert.deepEqual(faults, []);
    });
}

for (const folder of ["en", "zh", "hostile"]) {
  test(`no page is scrolled sideways at 320 px: ${folder}`, async (t) => {
    const { origin } = served[folder];
    const { page } = await open(t, browser, origin, { viewport: { width: 320, height: 640 } });
    for (const name of names) {
      await page.goto(`${origin}/page/${name}`);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 320, `${name} is ${width} px wide`);
    }
    });
}

test("the keyboard alone reaches every control, and the focus is seen", async (t) => {
  const { origin } = served.en;
  const { page } = await open(t, browser, origin);
  // No figures come, so that the marked controls stay those of the page.
  await page.route("**/window/events", (route) => route.abort());
  for (const name of names) {
    await page.goto(`${origin}/page/${name}`);
    const controls = await page.evaluate(() => {
      const all = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, summary")];
      all.forEach((node, index) => (node.dataset.control = index));
      return all.length;
    });
    const reached = new Set();
    // A date has several places to stop at.
    for (let press = 0; press < controls * 2 + 10 && reached.size < controls; press += 1) {
      await page.keyboard.press("Tab");
      const seen = await page.evaluate(() => {
        const node = document.activeElement;
        return { control: node.dataset.control, outline: getComputedStyle(node).outlineStyle };
      });
      if (seen.control === undefined) continue;
      assert.notEqual(seen.outline, "none", `${name}: the focus on control ${seen.control} is not seen`);
      reached.add(seen.control);
    }
    const missed = await page.evaluate((reached) => {
      const all = [...document.querySelectorAll("[data-control]")];
      return all.filter((node) => !reached.includes(node.dataset.control)).map((node) => node.outerHTML);
    }, [...reached]);
    assert.deepEqual(missed, [], name);
  }
});

test("the first stop of the keyboard skips to the content", async (t) => {
  const { origin } = served.en;
  const { page } = await open(t, browser, origin);
  await page.goto(origin + "/");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "main");
});

test("nothing of a hostile text runs or leads elsewhere", async (t) => {
  const { origin } = served.hostile;
  const { page, faults } = await open(t, browser, origin);
  for (const name of names) {
    await page.goto(`${origin}/page/${name}`);
    const found = await page.evaluate(() => ({
      scripts: document.scripts.length,
      frames: document.querySelectorAll("iframe, object, embed, base, img").length,
      away: [...document.links].filter((link) => link.origin !== location.origin).length,
      forms: [...document.forms].filter((form) => new URL(form.action).origin !== location.origin).length,
    }));
    assert.deepEqual(found, { scripts: 1, frames: 0, away: 0, forms: 0 }, name);
  }
  assert.deepEqual(faults, []);
});

test("inline scripts and styles do not run, and a page stands in no frame", async (t) => {
  const { origin } = served.en;
  const { page } = await open(t, browser, origin);
  served.en.page = (html) =>
    html.replace("</body>", '<script>document.title = "ran"</script><p id="p" style="color: red" onclick="x">x</p></body>');
  await page.goto(origin + "/");
  served.en.page = (html) => html;
  assert.notEqual(await page.title(), "ran");
  const colour = await page.locator("#p").evaluate((node) => getComputedStyle(node).color);
  assert.notEqual(colour, "rgb(255, 0, 0)");
  await page.goto("about:blank");
  await page.setContent(`<iframe src="${origin}/"></iframe>`);
  await page.waitForTimeout(0);
  const frame = page.frames()[1];
  await becomes(() => frame.url(), "chrome-error://chromewebdata/");
});

test("without scripts every page reads, filters stand in the URL, and forms are sent", async (t) => {
  const { origin, posts } = served.en;
  const { page } = await open(t, browser, origin, { javaScriptEnabled: false });
  for (const name of names) {
    await page.goto(`${origin}/page/${name}`);
    const text = await page.locator("main").innerText();
    assert.ok(text.length > 20, `${name}: ${text}`);
  }
  await page.goto(`${origin}/page/runs-empty`);
  await page.fill("[name=q]", "缓存");
  await page.selectOption("[name=state]", "failed");
  await page.fill("[name=from]", "2026-11-02");
  await page.click("button.main");
  const asked = new URL(page.url());
  assert.equal(asked.pathname, "/window/runs");
  assert.equal(asked.searchParams.get("q"), "缓存");
  assert.equal(asked.searchParams.get("state"), "failed");
  assert.equal(asked.searchParams.get("from"), "2026-11-02");

  await page.goto(origin + "/");
  posts.length = 0;
  await page.locator("article form button").first().click();
  const cancel = /^\/window\/runs\/[0-9a-f-]{36}\/cancel$/;
  assert.match(posts[0].path, cancel);
  assert.equal(posts[0].fields.token, `token of ${posts[0].path}`);
  await page.locator("header form button").click();
  assert.deepEqual(posts[1], { path: "/leave", fields: { token: "token of /leave" } });
  await page.goto(`${origin}/page/enter`);
  await page.locator("main button").click();
  assert.deepEqual(posts[2], { path: "/enter", fields: { token: "token of /enter", code: "0123456789abcdef" } });
});

test("figures are written over as they come, and count on by themselves", async (t) => {
  const { origin, live, tell } = served.en;
  const { page, faults } = await open(t, browser, origin);
  await page.goto(origin + "/");
  const run = live.runs[0];
  const text = (part) => () => page.locator(`[data-run="${run.id}"] [data-is=${part}]`).innerText();
  await becomes(() => served.en.streams.size, 1);
  tell({ runs: [{ ...run, stage: "<b>x</b>", note: "1,000 events", elapsed_ms: 7_260_000, age_ms: null }] });
  await becomes(text("stage"), "<b>x</b>");
  await becomes(text("note"), "1,000 events");
  await becomes(text("age"), "\u2013");
  await becomes(text("elapsed"), "2 h 1 min");
  tell({ runs: [{ ...run, elapsed_ms: 61_000, age_ms: 0 }] });
  await becomes(text("elapsed"), "63 s");
  await becomes(text("age"), "2 s");
  assert.deepEqual(faults, []);
});

test("a run that begins or ends brings the page anew, and the focus stays", async (t) => {
  const { origin, tell } = served.en;
  const { page, faults } = await open(t, browser, origin);
  await page.goto(origin + "/");
  const cancel = page.locator("article form button").nth(1);
  await cancel.focus();
  const action = await cancel.evaluate((node) => node.form.action);
  served.en.page = (html) => html.replace('data-version="17"', 'data-version="18"').replaceAll("Recently finished", "Finished just now");
  await becomes(() => served.en.streams.size, 1);
  tell({ version: 18 });
  await becomes(() => page.locator("#recent-title").innerText(), "Finished just now");
  assert.equal(await page.evaluate(() => document.activeElement.form?.action), action);
  assert.equal(await page.locator("main").getAttribute("data-version"), "18");
  served.en.page = (html) => html;
  assert.deepEqual(faults, []);
});

test("the stream is closed while the page is hidden, and opened when it is back", async (t) => {
  const { origin, streams } = served.en;
  const { page } = await open(t, browser, origin);
  await page.goto(origin + "/");
  await becomes(() => streams.size, 1);
  const hide = (hidden) =>
    page.evaluate((hidden) => {
      Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
      document.dispatchEvent(new Event("visibilitychange"));
    }, hidden);
  await hide(true);
  await becomes(() => streams.size, 0);
  await hide(false);
  await becomes(() => streams.size, 1);
  await page.goto(`${origin}/page/usage`);
  await becomes(() => streams.size, 0);
});

test("times are those of the reader, and UTC is in the tooltip", async (t) => {
  const { origin } = served.en;
  const { page } = await open(t, browser, origin, { timezoneId: "Asia/Shanghai" });
  await page.goto(`${origin}/page/run`);
  const time = page.locator(".state time");
  const [utc, local] = [await time.getAttribute("title"), await time.innerText()];
  const hours = (text) => Date.parse(text.replace(" UTC", "").replace(" ", "T") + "Z") / 3_600_000;
  assert.match(utc, / UTC$/);
  assert.equal(hours(local) - hours(utc), 8);
});

test("who wants no motion gets none", async (t) => {
  const { origin } = served.en;
  for (const [reducedMotion, expected] of [["reduce", "none"], ["no-preference", "breathe"]]) {
    const { page } = await open(t, browser, origin, { reducedMotion });
    await page.goto(origin + "/");
    const dot = page.locator(".dot.on").first();
    assert.equal(await dot.evaluate((node) => getComputedStyle(node, "::before").animationName), expected);
    }
});
