// Signing in at the real daemon with a real browser, with and without scripts, beside a server of someone else.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { becomes, launch, open, serious } from "./browser.mjs";
import { neighbour, start } from "./daemon.mjs";
import { POLICY } from "./server.mjs";

const PAGES = ["/", "/window/runs", "/window/usage", "/window/context", "/window/projects", "/window/health"];
let daemon, browser, other;

before(async () => {
  daemon = await start(process.env.BRIDGE);
  browser = await launch();
  other = await neighbour();
});
after(async () => {
  await browser?.close();
  await other?.close();
  await daemon?.stop();
});

/** A page of someone who has just signed in. */
async function signedIn(t, options) {
  const link = await daemon.link();
  const { origin } = new URL(link);
  const opened = await open(t, browser, origin, options);
  await opened.page.goto(link);
  await opened.page.locator("main button").click();
  await opened.page.waitForURL(origin + "/");
  return { ...opened, origin };
}

for (const javaScriptEnabled of [true, false]) {
  test(`one signs in and out, ${javaScriptEnabled ? "with" : "without"} scripts`, async (t) => {
    const { page, origin, faults } = await signedIn(t, { javaScriptEnabled });
    assert.match(origin, /^http:\/\/cb-[0-9a-f]{8}\.localhost:\d+$/);
    const [cookie, ...more] = (await page.context().cookies()).filter(({ name }) => name === "cbw");
    assert.deepEqual(more, []);
    const { httpOnly, sameSite, path, domain } = cookie;
    assert.deepEqual({ httpOnly, sameSite, path, domain }, { httpOnly: true, sameSite: "Strict", path: "/", domain: new URL(origin).hostname });
    for (const place of PAGES) {
      const answer = await page.goto(origin + place);
      assert.equal(answer.status(), 200, place);
      assert.equal(answer.headers()["content-security-policy"], POLICY, place);
    }
    assert.deepEqual(faults, []);
    await page.locator("header form button").click();
    await page.waitForLoadState();
    const answer = await page.goto(origin + "/");
    assert.equal(answer.status(), 401);
    assert.match(await page.locator("main").innerText(), /codex-bridge open/);
  });
}

test("a link that was fetched beforehand still works, and a used one does not", async (t) => {
  const link = await daemon.link();
  const { origin } = new URL(link);
  const first = await open(t, browser, origin);
  await first.page.goto(link);
  await first.page.goto(link);
  const second = await open(t, browser, origin);
  await second.page.goto(link);
  await first.page.locator("main button").click();
  await first.page.waitForURL(origin + "/");
  const [answer] = await Promise.all([
    second.page.waitForResponse((response) => response.request().method() === "POST"),
    second.page.locator("main button").click(),
  ]);
  assert.ok(answer.status() >= 400, `${answer.status()}`);
  assert.match(await second.page.locator("main").innerText(), /codex-bridge open/);
  assert.deepEqual(await second.page.context().cookies(), []);
});

test("a server on another port gets no cookie, its forms are refused, and it frames no page", async (t) => {
  const { page, origin } = await signedIn(t);
  const name = new URL(origin).hostname;
  for (const host of ["127.0.0.1", "localhost", "cb-00000000.localhost"]) {
    other.aim(origin + "/leave");
    other.cookies.length = 0;
    await page.goto(`http://${host}:${other.port}/`);
    assert.ok(other.cookies.length > 0, host);
    assert.deepEqual(other.cookies.filter((cookie) => cookie.includes("cbw")), [], host);
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.request().method() === "POST"),
      page.locator("button").click(),
    ]);
    assert.equal(answer.status(), 403, host);
    other.aim(origin + "/");
    await page.goto(`http://${host}:${other.port}/`);
    await becomes(() => page.frames()[1]?.url(), "chrome-error://chromewebdata/");
    assert.notEqual(host, name);
  }
  assert.equal((await page.goto(origin + "/")).status(), 200);
});

test("axe finds nothing serious on the daemon's own pages, with a run whose text is hostile", async (t) => {
  await daemon.ask("<script>document.title = 'ran'</script> \u202e </textarea><img src=x onerror=alert(1)>");
  const { page, origin, faults } = await signedIn(t);
  const run = page.locator(".rows tbody th a").first();
  for (const place of PAGES) {
    await page.goto(origin + place);
    assert.deepEqual(await serious(page), [], place);
  }
  await page.goto(origin + "/window/runs");
  await run.click();
  await page.waitForURL(/\/window\/runs\/[0-9a-f-]{36}$/);
  assert.deepEqual(await serious(page), []);
  assert.match(await page.locator("h1").innerText(), /^<script>document\.title = 'ran'<\/script>/);
  assert.notEqual(await page.title(), "ran");
  assert.deepEqual(faults, []);
});

test("an open page hears of a new run, and of the end of its session", async (t) => {
  const { page } = await signedIn(t);
  await daemon.ask("Is this the newest run?");
  await becomes(() => page.locator("#recent tbody th a").first().innerText().catch(() => ""), "Is this the newest run?");
  await daemon.open("--revoke");
  await becomes(async () => /codex-bridge open/.test(await page.locator("main").innerText().catch(() => "")), true);
});
