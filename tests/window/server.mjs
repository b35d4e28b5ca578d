// Serves the demo pages under the paths and with the headers of the daemon, on a name of their own.

import { readFile } from "node:fs/promises";
import http from "node:http";
import path from "node:path";

/** What the daemon sends with every page. */
export const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const PATHS = {
  "/": "now",
  "/window/runs": "runs",
  "/window/usage": "usage",
  "/window/context": "context",
  "/window/projects": "projects",
  "/window/health": "health",
};
const TYPES = { ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".html": "text/html" };

/**
 * Serves the pages of one folder; each page also by its name, below `/page/`. `posts` are the forms that were
 * sent, `streams` the open streams; `tell(change)` sends the live figures with a change on all of them, and
 * `page` may change a page before it is sent.
 */
export async function serve(demo, folder) {
  const posts = [];
  const streams = new Set();
  const live = JSON.parse(await readFile(path.join(demo, folder, "live.json"), "utf8"));
  const event = (change) => `event: now\ndata: ${JSON.stringify({ ...live, ...change })}\n\n`;
  const served = {
    posts,
    streams,
    live,
    page: (html) => html,
    tell: (change) => streams.forEach((stream) => stream.write(event(change))),
  };

  const answer = async (request, response) => {
    const url = new URL(request.url, "http://localhost");
    if (request.method === "POST") {
      let body = "";
      for await (const part of request) body += part;
      posts.push({ path: url.pathname, fields: Object.fromEntries(new URLSearchParams(body)) });
      response.writeHead(303, { location: "/" }).end();
      return;
    }
    if (url.pathname === "/window/events") {
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
      response.write("retry: 2000\n\n" + event({}));
      streams.add(response);
      response.on("close", () => streams.delete(response));
      return;
    }
    const name = PATHS[url.pathname] ?? url.pathname.match(/^\/page\/([a-z-]+)$/)?.[1];
    const asset = url.pathname.match(/^\/window\/assets\/([\w.-]+)$/)?.[1];
    const file = name ? path.join(demo, folder, name + ".html") : path.join(demo, asset ?? "none");
    const text = await readFile(file, "utf8").catch(() => null);
    if (text === null) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      "content-type": TYPES[path.extname(file)] + "; charset=utf-8",
      "content-security-policy": POLICY,
      "x-content-type-options": "nosniff",
      "referrer-policy": "same-origin",
    });
    response.end(name ? served.page(text) : text);
  };

  const server = http.createServer((request, response) => {
    answer(request, response).catch((error) => response.destroy(error));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  served.origin = `http://cb-0123abcd.localhost:${server.address().port}`;
  served.close = () => {
    streams.forEach((stream) => stream.destroy());
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return served;
}
