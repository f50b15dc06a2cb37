/**
 * `npm run bench` measures Latchkey against the HTTP layer below it; `npm run bench -- guards` one
 * part; `--short` checks in seconds that everything still runs. `scale` fills gigabytes and `peers`
 * installs other libraries, so both run only by name (`scale` also with `--short`).
 */
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { guardedFolder } from "../../test/support/postgres-folder.ts";
import { benchAdapters } from "./adapters.ts";
import { benchGuards } from "./guards.ts";
import { benchPeers, type PeersSize } from "./peers.ts";
import { benchScale } from "./scale.ts";
import { benchFlood, benchSignIn } from "./sign-in.ts";
import { benchStart } from "./start.ts";

const SHORT = {
  rounds: 3,
  requests: 1_000,
  signIns: 40,
  flood: 150,
  starts: 2,
  scale: { users: 10_000, entries: 20_000, rounds: 1 },
  peers: {
    rounds: 1,
    starts: 1,
    sessions: 200,
    requests: 200,
    signIns: 4,
    minutes: 1,
    figures: "show",
  } as PeersSize,
};
const FULL = {
  rounds: 25,
  requests: 4_000,
  signIns: 300,
  flood: 1_500,
  starts: 15,
  scale: { users: 5_000_000, entries: 10_000_000, rounds: 7 },
  peers: {
    rounds: 5,
    starts: 7,
    sessions: 10_000,
    requests: 3_000,
    signIns: 60,
    minutes: 15,
    figures: "keep",
  } as PeersSize,
};

const { values, positionals } = parseArgs({
  options: {
    short: { type: "boolean" },
    users: { type: "string" },
    entries: { type: "string" },
  },
  allowPositionals: true,
});
const size = values.short === true ? SHORT : FULL;
const scale = {
  ...size.scale,
  users: limited(size.scale.users, values.users),
  entries: limited(size.scale.entries, values.entries),
};

const parts: Readonly<Record<string, (folder: string) => Promise<string>>> = {
  guards: (folder) => benchGuards(folder, size.rounds, size.requests),
  adapters: (folder) => benchAdapters(folder, size.rounds, size.requests),
  "sign-in": (folder) => benchSignIn(folder, Math.ceil(size.rounds / 3), size.signIns),
  flood: (folder) => benchFlood(folder, size.flood),
  start: (folder) => benchStart(folder, size.starts),
  scale: (folder) => benchScale(folder, scale, show),
  peers: (folder) => benchPeers(folder, size.peers, show),
};

function show(text: string): void {
  process.stdout.write(`${text}\n\n`);
}

function limited(max: number, given: string | undefined): number {
  const number = Number(given ?? max);
  if (!(number >= 1_000)) throw new Error("--users and --entries need a number of at least 1000");
  return Math.min(max, number);
}

const all = Object.keys(parts).filter(
  (name) => name !== "peers" && (name !== "scale" || values.short === true),
);

show(`Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model}`);
for (const name of positionals.length > 0 ? positionals : all) {
  const part = parts[name];
  if (part === undefined)
    throw new Error(`unknown part ${name}; the parts are ${Object.keys(parts).join(", ")}`);
  // Removed when this process ends, in whichever way.
  const folder = await guardedFolder({});
  try {
    show(await part(folder.path));
  } finally {
    await folder.remove();
  }
}
