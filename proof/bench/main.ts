/** `npm run bench`: the limits of the installed gate, other libraries, and large databases. */
import { parseArgs } from "node:util";
import { guardedFolder } from "../../test/support/postgres-folder.ts";
import type { Case } from "./cases.ts";
import { contestants, named } from "./contestants.ts";
import { benchFlow } from "./flow.ts";
import { createInstaller } from "./install.ts";
import { benchLimits, isBeyond, tableOfLimits } from "./limits.ts";
import { describeMachine } from "./machine.ts";
import { race } from "./race.ts";
import { keep, textOf } from "./report.ts";
import { benchScale } from "./scale.ts";
import { checkWrk } from "./wrk.ts";

const HELP = `Usage: npm run bench [-- PART] [-- OPTIONS]

Parts:
  limits  (the default) CPU time per request of /forward-auth, /login, /apps and the slowest page
          of the account on the packed and installed gate, as times that of a bare node:http; idle
          memory; time to start. Prints each figure with its limit. The exit code is 1 if one is
          beyond it. About six minutes.
          Needs Linux and wrk (on Debian: apt-get install wrk), and npm's registry or cache.
  flow    CPU time of a code flow of OpenID Connect, as times that of the library alone. The exit
          code is 1 if it is beyond its limit. About a minute.
  peers   Latchkey next to other libraries. About 20 minutes; writes docs/performance.md.
  scale   both databases with up to five million users. Hours, and gigabytes of disk; writes
          docs/scaling.md.

Options:
  --short            runs everything once and briefly, and writes no page
  --only TEXT        peers: only those with the text in their name, and their HTTP layer
  --users NUMBER     scale: at most so many users
  --entries NUMBER   scale: at most so many log entries
  --help             shows this`;

const SHORT = {
  limits: { rounds: 1, starts: 3, seconds: 1 },
  flow: { rounds: 1, flows: 20 },
  peers: { rounds: 1, starts: 1, sessions: 200, forMs: 100, warmUpMs: 50 },
  scale: { users: 10_000, entries: 20_000, rounds: 1 },
};
const FULL = {
  limits: { rounds: 7, starts: 7, seconds: 1 },
  flow: { rounds: 7, flows: 200 },
  peers: { rounds: 5, starts: 7, sessions: 10_000, forMs: 1_000, warmUpMs: 2_000 },
  scale: { users: 5_000_000, entries: 10_000_000, rounds: 7 },
};

const CASES: readonly Case[] = ["warm", "cold", "many", "login", "own", "right", "wrong"];

const { values, positionals } = parseArgs({
  options: {
    short: { type: "boolean" },
    only: { type: "string" },
    users: { type: "string" },
    entries: { type: "string" },
    help: { type: "boolean" },
  },
  allowPositionals: true,
});
const size = values.short === true ? SHORT : FULL;

const parts: Readonly<Record<string, (folder: string) => Promise<void>>> = {
  async limits(folder) {
    await checkWrk();
    const app = await (await createInstaller(folder)).install("latchkey", ["latchkey"]);
    const figures = await benchLimits(folder, app, size.limits);
    show(tableOfLimits(figures));
    if (figures.some(isBeyond)) process.exitCode = 1;
  },
  async flow(folder) {
    const { text, isWithin } = await benchFlow(folder, size.flow);
    show(text);
    if (!isWithin) process.exitCode = 1;
  },
  async peers(folder) {
    const among = named(values.only ?? "", contestants);
    const installer = await createInstaller(folder);
    const report = await race(
      folder,
      { among, cases: CASES, amounts: size.peers },
      installer,
      show,
    );
    show(textOf(report));
    if (values.short === true || values.only !== undefined) return;
    await keep(report);
    show("docs/performance.md is written");
  },
  async scale(folder) {
    const scale = {
      ...size.scale,
      users: parseAmount(size.scale.users, values.users),
      entries: parseAmount(size.scale.entries, values.entries),
    };
    show(await benchScale(folder, scale, show));
  },
};

function show(text: string): void {
  process.stdout.write(`${text}\n\n`);
}

function parseAmount(max: number, given: string | undefined): number {
  const number = Number(given ?? max);
  if (!(number >= 1_000)) throw new Error("--users and --entries need a number of at least 1000");
  return Math.min(max, number);
}

/** In a folder that is removed when this process ends for any reason. */
async function runPart(name: string): Promise<void> {
  const part = Object.hasOwn(parts, name) ? parts[name] : undefined;
  if (part === undefined) {
    throw new Error(`unknown part "${name}"; the parts are ${Object.keys(parts).join(", ")}`);
  }
  show(describeMachine());
  const folder = await guardedFolder({});
  try {
    await part(folder.path);
  } finally {
    await folder.remove();
  }
}

if (values.help === true) show(HELP);
else {
  for (const name of positionals.length > 0 ? positionals : ["limits"]) {
    try {
      await runPart(name);
    } catch (error) {
      process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
      process.exitCode = 1;
    }
  }
}
