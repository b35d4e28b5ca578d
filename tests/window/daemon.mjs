// The real daemon on a port and a state folder of its own, and a server of someone else beside it.

import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Starts it. It knows no Codex: a run fails at once. */
export async function start(program) {
  const folder = await mkdtemp(path.join(tmpdir(), "codex-bridge-window-"));
  const state = path.join(folder, "state");
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    CODEX_BRIDGE_LISTEN: "127.0.0.1:0",
    CODEX_BRIDGE_STATE_DIR: state,
    CODEX_BRIDGE_CODEX_BIN: path.join(folder, "no-codex"),
  };
  const child = spawn(program, ["serve"], { env, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  await new Promise((resolve, reject) => {
    child.once("exit", () => reject(new Error(`the daemon has ended: ${said}`)));
    child.stderr.on("data", (part) => {
      said += part;
      if (said.includes("listening on")) resolve();
    });
  });
  const open = async (...words) => (await run(program, ["open", ...words], { env })).stdout.trim();
  const address = (await readFile(path.join(state, "address"), "utf8")).trim();
  const token = (await readFile(path.join(state, "token"), "utf8")).trim();
  return {
    open,
    /** A link that signs in. */
    link: () => open("--print"),
    /** Asks a question, to its failure. */
    ask: async (problem) => {
      const plan = { name: "A", description: "x" };
      const body = { problem, context: "", candidate_plans: [plan], phase: "initial" };
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const answer = await fetch(`http://${address.replace(/^http:\/\//, "")}/analyze`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      return answer.json();
    },
    stop: async () => {
      child.removeAllListeners("exit");
      if (child.exitCode === null && child.kill("SIGTERM")) await new Promise((resolve) => child.once("exit", resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A server on another port that keeps the cookies it was sent, and whose page sends a form elsewhere. */
export async function neighbour() {
  const cookies = [];
  let target = "";
  const server = http.createServer((request, response) => {
    cookies.push(request.headers.cookie ?? "");
    response.writeHead(200, { "content-type": "text/html" });
    response.end(`<form method="post" action="${target}"><button>x</button></form><iframe src="${target}"></iframe>`);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    cookies,
    port: server.address().port,
    aim: (url) => (target = url),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
