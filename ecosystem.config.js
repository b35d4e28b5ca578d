// pm2 runs the daemon from here:  pm2 start ecosystem.config.js
//
// What to set, and how to look after it, is in docs/OPERATIONS.md. Checked with pm2 7.0.4.

'use strict';

const fs = require('fs');
const os = require('os');
const path = require('path');

// The daemon: CODEX_BRIDGE_BIN, else the release build of this checkout, else the one that is
// installed with this file, else the one in ~/.local/bin.
const PLACES = [
  path.join(__dirname, 'target/release/codex-bridge'),
  path.join(__dirname, '../../bin/codex-bridge'),
  path.join(os.homedir(), '.local/bin/codex-bridge'),
];
const named = process.env.CODEX_BRIDGE_BIN;
const script = named ? path.resolve(named) : PLACES.find((place) => fs.existsSync(place));
if (!script || !fs.existsSync(script)) {
  const looked = named ? `CODEX_BRIDGE_BIN names ${script}` : `looked at ${PLACES.join(', ')}`;
  throw new Error(`no codex-bridge to run (${looked}); run "make install", or set CODEX_BRIDGE_BIN`);
}

// What the daemon gets of your environment. Nothing else reaches it, because "pm2 save" writes the
// environment of an app into dump.pm2, in clear: keep keys in files. Settings that are not here
// belong into ~/.config/codex-bridge/config.toml.
const PASSED = [
  'HOME', 'PATH', 'LANG', 'TMPDIR', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'CODEX_HOME',
  'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY',
  'http_proxy', 'https_proxy', 'all_proxy', 'no_proxy',
  'SSL_CERT_FILE', 'SSL_CERT_DIR', 'CODEX_CA_CERTIFICATE',
];
const KEPT_BACK = ['CODEX_BRIDGE_BIN', 'CODEX_BRIDGE_URL'];
const IN_FILES = {
  CODEX_BRIDGE_TOKEN: 'the token lies in the state folder',
  CODEX_BRIDGE_CODEX_API_KEY_ENV: 'the API key lies in a file that CODEX_BRIDGE_CODEX_API_KEY_FILE names',
};
for (const [name, instead] of Object.entries(IN_FILES)) {
  if (process.env[name]) {
    throw new Error(`unset ${name}: pm2 keeps an environment in clear; under pm2 ${instead}`);
  }
}
const isPassed = (name) =>
  PASSED.includes(name) || (name.startsWith('CODEX_BRIDGE_') && !KEPT_BACK.includes(name));
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => isPassed(name)));

// How long runs in flight may finish when the daemon is stopped (limits.drain_ms).
const drainMs = Number(process.env.CODEX_BRIDGE_DRAIN_MS || 8000);

module.exports = {
  apps: [{
    name: 'codex-bridge',
    script,
    args: ['serve'],
    interpreter: 'none',
    exec_mode: 'fork',
    instances: 1,
    cwd: os.homedir(),
    env,
    // pm2 7 drops each variable whose name contains one of these texts; every name contains "".
    filter_env: [''],

    // "pm2 start" returns when the daemon says that it answers, which takes some 50 ms.
    wait_ready: true,
    listen_timeout: 15000,

    // Restarts for ever, at most 15 s apart: max_restarts and min_uptime keep their defaults.
    autorestart: true,
    exp_backoff_restart_delay: 100,

    // The daemon drains, then ends Codex itself. With treekill, pm2 would end Codex first.
    treekill: false,
    kill_timeout: drainMs + 4000,

    // The daemon alone, which needs some 15 MB. It bounds what Codex does.
    max_memory_restart: '300M',

    // The log is JSON lines with times of their own. With "time: true", pm2 7 breaks lines.
    time: false,
    merge_logs: true,

    vizion: false,
    pmx: false,
    automation: false,
  }],
};
