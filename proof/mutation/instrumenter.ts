import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { installPackages } from "../../test/support/packages.ts";
import { ROOT } from "./files.ts";

interface Position {
  readonly line: number;
  readonly column: number;
}

export interface Mutant {
  readonly id: string;
  readonly fileName: string;
  readonly replacement: string;
  readonly location: { readonly start: Position; readonly end: Position };
  /** Set if the mutant must not be tested. */
  readonly status?: string;
}

export interface Source {
  readonly name: string;
  readonly content: string;
}

export interface Instrumented {
  readonly files: readonly Source[];
  readonly mutants: readonly Mutant[];
}

/** The part of Stryker's API that is used. */
interface Instrumenter {
  instrument(files: readonly object[], options: object): Promise<Instrumented>;
}

const PACKAGES = join(ROOT, "proof/mutation/packages");
const SILENT = new Proxy({}, { get: () => () => false });

/** Puts all mutants into the code at once. An environment variable activates one by its ID. */
export async function instrument(sources: readonly Source[]): Promise<Instrumented> {
  const path = "node_modules/@stryker-mutator/instrumenter/dist/src/index.js";
  const stryker: { Instrumenter: new (log: object) => Instrumenter } = await import(
    pathToFileURL(join(await installPackages(PACKAGES, "latchkey-mutation"), path)).href
  );
  return await new stryker.Instrumenter(SILENT).instrument(
    sources.map((source) => ({ ...source, mutate: true })),
    { plugins: null, excludedMutations: [], ignorers: [] },
  );
}
