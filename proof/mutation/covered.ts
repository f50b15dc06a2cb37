import { writeFileSync } from "node:fs";

/**
 * Preloaded with a test file. At exit, writes how often the tests executed each mutant. With a hit
 * limit, Stryker's code ends a mutant that loops.
 */
interface Stryker {
  hitCount?: number;
  hitLimit?: number;
  mutantCoverage?: { readonly static: Readonly<Record<string, number>> };
}

const { MUTANTS_COVERED: file, MUTANTS_HIT_LIMIT: limit } = process.env;
const stryker: Stryker = {};
Object.assign(globalThis, { __stryker__: stryker });

if (limit !== undefined) Object.assign(stryker, { hitCount: 0, hitLimit: Number(limit) });
if (file !== undefined) {
  process.on("exit", () => {
    writeFileSync(file, JSON.stringify(stryker.mutantCoverage?.static ?? {}));
  });
}
