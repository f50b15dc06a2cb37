import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT: string = fileURLToPath(new URL("../../", import.meta.url));

/** What lets people in comes first: a run that is cut off has at least looked at that. */
const FIRST: Readonly<Record<string, string>> = {
  core: `sign-in set-up change-password session-token current-user user-memory require-user
    attempt-limiter passwords password-cost event-log return-target setup-token secret-strength
    domain-name local-path end-sessions remove-user add-user rename-user reset-password
    shared-limiter bounded-memory work-queue`,
  web: `session-cookie same-origin form remote-address return-to location responses guards entry
    login setup account forward-auth locale accent-color app views`,
};
/** Texts come last: most of their mutants only blank a word of a page. */
const LAST: readonly string[] = ["src/web/pages/words.ts"];

/** A folder of sources, and the tests that are to notice what is wrong in it. */
export interface Part {
  readonly folder: string;
  readonly tests: readonly string[];
}

export const PARTS: readonly Part[] = [
  { folder: "src/core", tests: ["test/core"] },
  { folder: "src/web", tests: ["test/web", "test/spec"] },
];

export async function sourcesOf({ folder }: Part): Promise<readonly string[]> {
  const names = (FIRST[folder.slice("src/".length)] ?? "").split(/\s+/);
  const first = names.map((name) => `${folder}/${name}.ts`);
  const found = await filesIn(folder, ".ts");
  const rest = found.filter((file) => !first.includes(file) && !LAST.includes(file));
  const inOrder = [...first, ...rest, ...LAST];
  return inOrder.filter((file) => found.includes(file));
}

export async function testsOf({ tests }: Part): Promise<readonly string[]> {
  const found = await Promise.all(tests.map((folder) => filesIn(folder, ".test.ts")));
  return found.flat();
}

async function filesIn(folder: string, ending: string): Promise<readonly string[]> {
  const names = await readdir(join(ROOT, folder));
  return names
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => `${folder}/${name}`);
}

export const textOf = (file: string): Promise<string> => readFile(join(ROOT, file), "utf8");

export const digestOf = (text: string): string =>
  createHash("sha256").update(text).digest("base64url").slice(0, 16);
