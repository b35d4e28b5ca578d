// An MCP client that is not ours: the official TypeScript SDK. It reads what to do as one JSON object on
// stdin, does it, and prints what it saw as one JSON object on stdout.
//
//   { "command", "args", "env", "steps": [
//       { "do": "describe" },                          what the server says of itself
//       { "do": "list" },                              its tools
//       { "do": "call", "name", "arguments",           one call, with progress
//         "session_of": STEP,                          the session_id of that step's result goes in
//         "touch_on": { "progress", "file" },          makes a file once a progress message has the text
//         "cancel_on": { "progress" } } ] }            cancels the call then
//
// A step's outcome is { "value" } or { "error": { "code", "message" } }, and "progress" for a call.

import { writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const LIMIT_MS = 90_000;

const { command, args, env, steps } = JSON.parse(await text(process.stdin));
const client = new Client({ name: 'peer', version: '0' });
const errors = [];
// The SDK (1.32) takes a result at once and a notification one microtask later: where both come in one
// piece, it complains of progress that came first. Whether the order on the wire is right is tested by hand.
const isUntimely = (error) => String(error).includes('progress notification for an unknown token');
client.onerror = (error) => isUntimely(error) || errors.push(String(error));
const transport = new StdioClientTransport({ command, args, env, stderr: 'inherit' });
await client.connect(transport);

async function call(step, outcomes) {
  const progress = [];
  const abort = new AbortController();
  const question = { ...step.arguments };
  if (step.session_of !== undefined) {
    question.session_id = outcomes[step.session_of].value.structuredContent.meta.session_id;
  }
  const onprogress = (told) => {
    progress.push(told);
    const message = told.message ?? '';
    if (step.touch_on && message.includes(step.touch_on.progress)) writeFileSync(step.touch_on.file, '');
    if (step.cancel_on && message.includes(step.cancel_on.progress)) abort.abort('enough');
  };
  const options = { onprogress, signal: abort.signal, timeout: LIMIT_MS };
  const params = { name: step.name, arguments: question };
  try {
    return { value: await client.callTool(params, undefined, options), progress };
  } catch (error) {
    return { error: { code: error.code ?? null, message: String(error.message ?? error) }, progress };
  }
}

const outcomes = [];
for (const step of steps) {
  if (step.do === 'describe') {
    const [info, capabilities] = [client.getServerVersion(), client.getServerCapabilities()];
    outcomes.push({ value: { info, capabilities, instructions: client.getInstructions() } });
  } else if (step.do === 'list') {
    outcomes.push({ value: (await client.listTools()).tools });
  } else {
    outcomes.push(await call(step, outcomes));
  }
}
await client.close();
process.stdout.write(JSON.stringify({ outcomes, errors }));
