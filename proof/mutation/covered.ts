import { writeFileSync } from "node:fs";

/**
 * Loaded before a test file. Tells, when it is over, how often the tests came by which mutant; ends
 * a mutant that goes round and round.
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
