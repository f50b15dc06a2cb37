/**
 * Measures the door against what it stands on, all in one run: `npm run bench`, one part of it by
 * its name, or with `--short` a run of seconds that shows that everything still can be measured.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { benchAdapters } from "./adapters.ts";
import { benchGuards } from "./guards.ts";
import { benchFlood, benchSignIn } from "./sign-in.ts";
import { benchStart } from "./start.ts";

const SHORT = { rounds: 3, requests: 1_000, signIns: 40, flood: 150, starts: 2 };
const FULL = { rounds: 25, requests: 4_000, signIns: 300, flood: 1_500, starts: 15 };

const { values, positionals } = parseArgs({
  options: { short: { type: "boolean" } },
  allowPositionals: true,
});
const size = values.short === true ? SHORT : FULL;

const parts: Readonly<Record<string, (folder: string) => Promise<string>>> = {
  guards: (folder) => benchGuards(folder, size.rounds, size.requests),
  adapters: (folder) => benchAdapters(folder, size.rounds, size.requests),
  "sign-in": (folder) => benchSignIn(folder, Math.ceil(size.rounds / 3), size.signIns),
  flood: (folder) => benchFlood(folder, size.flood),
  start: (folder) => benchStart(folder, size.starts),
};

const show = (text: string): void => void process.stdout.write(`${text}\n\n`);

show(`Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model}`);
for (const name of positionals.length > 0 ? positionals : Object.keys(parts)) {
  const part = parts[name];
  if (part === undefined) throw new Error(`no ${name} here, only ${Object.keys(parts).join(", ")}`);
  const folder = await mkdtemp(join(tmpdir(), `latchkey-bench-${name}-`));
  try {
    show(await part(folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
