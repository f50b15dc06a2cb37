/**
 * `npm run bench` measures Latchkey against the HTTP layer below it; `npm run bench -- guards` one
 * part, and `--only gate` the contestants with that in their name and their HTTP layer; `--short` checks in seconds that
 * everything still runs. `scale` fills gigabytes and `peers` installs other libraries, so both run
 * only by name (`scale` also with `--short`).
 */
import { parseArgs } from "node:util";
import { guardedFolder } from "../../test/support/postgres-folder.ts";
import type { Case } from "./cases.ts";
import { contestants, named, own } from "./contestants.ts";
import { benchFlood } from "./flood.ts";
import { createInstaller, fromSource } from "./install.ts";
import { describeMachine } from "./machine.ts";
import { type Amounts, race } from "./race.ts";
import { keep, textOf } from "./report.ts";
import { benchScale } from "./scale.ts";

const SHORT = {
  amounts: { rounds: 1, starts: 1, sessions: 200, forMs: 60, warmUpMs: 40 },
  peers: { rounds: 1, starts: 1, sessions: 200, forMs: 100, warmUpMs: 50 },
  flood: 150,
  scale: { users: 10_000, entries: 20_000, rounds: 1 },
};
const FULL = {
  amounts: { rounds: 5, starts: 7, sessions: 10_000, forMs: 500, warmUpMs: 3_000 },
  peers: { rounds: 5, starts: 7, sessions: 10_000, forMs: 1_000, warmUpMs: 3_000 },
  flood: 1_500,
  scale: { users: 5_000_000, entries: 10_000_000, rounds: 7 },
};

const { values, positionals } = parseArgs({
  options: {
    short: { type: "boolean" },
    only: { type: "string" },
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
  guards: (folder) => benchOwn(folder, ["warm", "many", "cold"], { starts: 0 }),
  pages: (folder) => benchOwn(folder, ["login", "own"], { starts: 0 }),
  "sign-in": (folder) => benchOwn(folder, ["right", "wrong"], { starts: 0 }),
  start: (folder) => benchOwn(folder, [], { rounds: 0 }),
  flood: (folder) => benchFlood(folder, size.flood),
  scale: (folder) => benchScale(folder, scale, show),
  peers: benchPeers,
};

/** Latchkey from this checkout. */
async function benchOwn(
  folder: string,
  cases: readonly Case[],
  less: Partial<Amounts>,
): Promise<string> {
  const among = named(values.only ?? "", own);
  const amounts = { ...size.amounts, ...less };
  return textOf(await race(folder, { among, cases, amounts }, fromSource, () => undefined));
}

/** All contestants as installed; only a full run is kept on the page. */
async function benchPeers(folder: string): Promise<string> {
  const cases: readonly Case[] = ["warm", "cold", "many", "right", "wrong", "login", "own"];
  const among = named(values.only ?? "", contestants);
  const installer = await createInstaller(folder);
  const report = await race(folder, { among, cases, amounts: size.peers }, installer, show);
  show(textOf(report));
  if (values.short === true || values.only !== undefined) return "";
  await keep(report);
  return "docs/performance.md is written";
}

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

show(describeMachine());
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
