import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

/** A folder for one test, removed after the test. */
export async function tempDir(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "latchkey-test-"));
  t.after(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  return dir;
}

/** A file with that text in a new folder. */
export async function fileWith(t: TestContext, text: string | Uint8Array): Promise<string> {
  const file = join(await tempDir(t), "file");
  await writeFile(file, text);
  return file;
}
