/**
 * Measures the door against what it stands on, all in one run: `npm run bench`, one part of it by
 * its name, or with `--short` a run of seconds that shows that everything still can be measured.
 * `scale` runs by its name only, or short: it fills databases with gigabytes. `peers` runs by its
 * name only: it installs what Latchkey is measured beside.
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
  users: atMost(size.scale.users, values.users),
  entries: atMost(size.scale.entries, values.entries),
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

function atMost(most: number, given: string | undefined): number {
  const number = Number(given ?? most);
  if (!(number >= 1_000)) throw new Error("--users and --entries take a number from 1000");
  return Math.min(most, number);
}

const all = Object.keys(parts).filter(
  (name) => name !== "peers" && (name !== "scale" || values.short === true),
);

show(`Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model}`);
for (const name of positionals.length > 0 ? positionals : all) {
  const part = parts[name];
  if (part === undefined) throw new Error(`no ${name} here, only ${Object.keys(parts).join(", ")}`);
  // Gone with this process, however that one ends.
  const folder = await guardedFolder({});
  try {
    show(await part(folder.path));
  } finally {
    await folder.remove();
  }
}
