import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "./files.ts";
import type { Mutant } from "./instrumenter.ts";

const FILE = join(ROOT, "proof/mutation/results.json");
const EQUIVALENT = join(ROOT, "proof/mutation/equivalent.json");
const MAX_LETTERS = 90;

/** A change that no test noticed. */
export interface Survivor {
  readonly line: number;
  readonly column: number;
  readonly from: string;
  readonly to: string;
  /** The number of test files that execute it. */
  readonly tests: number;
}

export interface Result {
  /** The digest of the source that was tested. */
  readonly digest: string;
  readonly mutants: number;
  readonly survivors: readonly Survivor[];
}

/** By source file. */
export type Results = Readonly<Record<string, Result>>;

/** A reviewed survivor, and the reason why no test can or must notice it. */
export interface Equivalent {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

export async function readResults(): Promise<Results> {
  const text = await readFile(FILE, "utf8").catch(() => "{}");
  return JSON.parse(text);
}

export async function saveResult(file: string, result: Result): Promise<void> {
  const known = { ...(await readResults()), [file]: result };
  const all = Object.entries(known).filter(([name]) => existsSync(join(ROOT, name)));
  const sorted = all.sort(([one], [other]) => (one < other ? -1 : 1));
  await writeFile(FILE, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}

export async function readEquivalents(): Promise<readonly Equivalent[]> {
  return JSON.parse(await readFile(EQUIVALENT, "utf8"));
}

export function survivorOf(mutant: Mutant, source: string, tests: number): Survivor {
  const { start, end } = mutant.location;
  const lines = source.split("\n").slice(start.line, end.line + 1);
  const last = lines.length - 1;
  const cut = lines.map((line, index) =>
    line.slice(index === 0 ? start.column : 0, index === last ? end.column : undefined),
  );
  return {
    line: start.line + 1,
    column: start.column + 1,
    from: shortened(cut.join("\n")),
    to: shortened(mutant.replacement),
    tests,
  };
}

function shortened(code: string): string {
  const line = code.replaceAll(/\s+/g, " ");
  return line.length <= MAX_LETTERS ? line : `${line.slice(0, MAX_LETTERS)}…`;
}
