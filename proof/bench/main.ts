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
  amounts: { rounds: 5, starts: 7, sessions: 10_000, forMs: 500, warmUpMs: 2_000 },
  peers: { rounds: 5, starts: 7, sessions: 10_000, forMs: 1_000, warmUpMs: 2_000 },
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

/** Measured together, because each needs the same servers. */
const cases: Readonly<Record<string, readonly Case[]>> = {
  guards: ["warm", "cold", "many"],
  pages: ["login", "own"],
  "sign-in": ["right", "wrong"],
  start: [],
};
const others: Readonly<Record<string, (folder: string) => Promise<string>>> = {
  flood: (folder) => benchFlood(folder, size.flood),
  scale: (folder) => benchScale(folder, scale, show),
  peers: benchPeers,
};

/** Latchkey from this checkout. */
async function benchOwn(folder: string, parts: readonly string[]): Promise<string> {
  const wanted = parts.flatMap((part) => cases[part] ?? []);
  const amounts: Amounts = {
    ...size.amounts,
    ...(wanted.length === 0 && { rounds: 0 }),
    ...(!parts.includes("start") && { starts: 0 }),
  };
  const among = named(values.only ?? "", own);
  return textOf(await race(folder, { among, cases: wanted, amounts }, fromSource, () => undefined));
}

/** All contestants as installed; only a full run is kept on the page. */
async function benchPeers(folder: string): Promise<string> {
  const among = named(values.only ?? "", contestants);
  const installer = await createInstaller(folder);
  const all = Object.values(cases).flat();
  const report = await race(folder, { among, cases: all, amounts: size.peers }, installer, show);
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

/** In a folder that is removed when this process ends for any reason. */
async function inFolder(work: (folder: string) => Promise<string>): Promise<void> {
  const folder = await guardedFolder({});
  try {
    show(await work(folder.path));
  } finally {
    await folder.remove();
  }
}

const known = [...Object.keys(cases), ...Object.keys(others)];
const byDefault = known.filter(
  (name) => name !== "peers" && (name !== "scale" || values.short === true),
);
const chosen = positionals.length > 0 ? positionals : byDefault;
const unknown = chosen.find((name) => !known.includes(name));
if (unknown !== undefined) {
  throw new Error(`unknown part ${unknown}; the parts are ${known.join(", ")}`);
}

show(describeMachine());
const together = chosen.filter((name) => name in cases);
if (together.length > 0) await inFolder((folder) => benchOwn(folder, together));
for (const name of chosen) {
  const part = others[name];
  if (part !== undefined) await inFolder(part);
}
