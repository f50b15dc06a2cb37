import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { ROOT } from "./files.ts";
import type { Source } from "./instrumenter.ts";

const EXCLUDED = new Set(["node_modules", ".git", "dist", "data"]);

export interface Sandbox extends AsyncDisposable {
  readonly folder: string;
  /** The temporary folder of the tests. */
  readonly temporary: string;
  write(sources: readonly Source[]): Promise<void>;
}

/** Copies the project, so that edits during a run of hours do not affect it. */
export async function openSandbox(): Promise<Sandbox> {
  const own = await mkdtemp(join(tmpdir(), "latchkey-mutants-"));
  const folder = join(own, "project");
  const temporary = join(own, "tmp");
  await cp(ROOT, folder, {
    recursive: true,
    filter: (path) => !EXCLUDED.has(relative(ROOT, path)),
  });
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  await mkdir(temporary);
  return {
    folder,
    temporary,
    async write(sources) {
      for (const { name, content } of sources) await writeFile(join(folder, name), content);
    },
    async [Symbol.asyncDispose]() {
      await rm(own, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
