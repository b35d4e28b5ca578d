// A browser of the distribution, and what every test asks of a page.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Starts the browser that `CHROMIUM` names. */
export function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM, chromiumSandbox: false });
}

/**
 * A page in a context of its own, which ends with the test. Whatever it asks of another origin, and whatever it
 * complains of, is kept in `faults`.
 */
export async function open(test, browser, origin, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1100, height: 800 }, ...options });
  test.after(() => context.close());
  const page = await context.newPage();
  const faults = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(origin + "/")) faults.push(`asks for ${request.url()}`);
  });
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(`says ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`throws ${error}`));
  page.on("dialog", (dialog) => {
    faults.push(`opens a dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  return { context, page, faults };
}

/** What axe finds serious on the page. It comes in by the debugger's door, because the page's policy stops scripts. */
export async function serious(page) {
  await page.evaluate(axe);
  const { passes, violations } = await page.evaluate(() => globalThis.axe.run(document));
  assert.ok(passes.length > 10, "axe looks at the page");
  const found = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  return found.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`);
}

/** Waits until a value is as expected; says the last one where it is not within 5 s. */
export async function becomes(look, expected) {
  const until = Date.now() + 5000;
  let value = await look();
  while (value !== expected && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    value = await look();
  }
  assert.equal(value, expected);
}
