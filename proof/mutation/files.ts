import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT: string = fileURLToPath(new URL("../../", import.meta.url));

/** Files that decide who is admitted come first, so that an interrupted run has covered them. */
const FIRST: readonly string[] = `sign-in set-up change-password session-token authenticate-session
  credential-cache attempt-limiter passwords password-cost event-log return-target
  setup-token secrets allowed-hosts requester accounts
  shared-limiter bounded-memory work-queue session-cookie same-origin form
  remote-address return-to location responses handle authenticate refusals guards request-kind
  sign-in-pages setup-pages password-pages
  forward-auth-pages forward-auth-query views home-pages`.split(/\s+/);

/** A folder of sources, and the tests that must notice a fault in it. */
export interface Part {
  readonly folder: string;
  readonly tests: readonly string[];
}

export const PARTS: readonly Part[] = [
  { folder: "src/lib", tests: ["test/lib"] },
  { folder: "src/audit", tests: ["test/audit"] },
  { folder: "src/identity", tests: ["test/identity"] },
  { folder: "src/features", tests: ["test/features", "test/spec"] },
  { folder: "src/http", tests: ["test/http", "test/spec", "test/adapters"] },
  { folder: "src/pages", tests: ["test/pages", "test/spec"] },
];

/** The sources of a part, subfolders included, the most important first. */
export async function sourcesOf({ folder }: Part): Promise<readonly string[]> {
  const rankOf = (file: string): number => {
    const rank = FIRST.indexOf(basename(file, ".ts"));
    return rank >= 0 ? rank : FIRST.length;
  };
  const found = await filesIn(folder, ".ts");
  return [...found].sort((one, other) => rankOf(one) - rankOf(other));
}

export async function testsOf({ tests }: Part): Promise<readonly string[]> {
  const found = await Promise.all(tests.map((folder) => filesIn(folder, ".test.ts")));
  // Only what `npm test` runs.
  return found.flat().filter((file) => !/\.(full|proof)\.test\.ts$/.test(file));
}

async function filesIn(folder: string, ending: string): Promise<readonly string[]> {
  const names = await readdir(join(ROOT, folder), { recursive: true });
  return names
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => `${folder}/${name}`);
}

export const textOf = (file: string): Promise<string> => readFile(join(ROOT, file), "utf8");

export const digestOf = (text: string): string =>
  createHash("sha256").update(text).digest("base64url").slice(0, 16);
