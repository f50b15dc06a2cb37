import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { ROOT } from "./files.ts";
import type { Source } from "./instrumenter.ts";

const LEFT_OUT = new Set(["node_modules", ".git", "dist", "data"]);

export interface Sandbox extends AsyncDisposable {
  readonly folder: string;
  /** Where the tests keep what they keep for a while. */
  readonly temporary: string;
  write(sources: readonly Source[]): Promise<void>;
}

/** The project as it is now: what is edited during a run of hours does no harm. */
export async function openSandbox(): Promise<Sandbox> {
  const own = await mkdtemp(join(tmpdir(), "latchkey-mutants-"));
  const folder = join(own, "project");
  const temporary = join(own, "tmp");
  await cp(ROOT, folder, {
    recursive: true,
    filter: (path) => !LEFT_OUT.has(relative(ROOT, path)),
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
