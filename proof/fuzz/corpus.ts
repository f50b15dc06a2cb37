import { mkdir, readFile, writeFile } from "node:fs/promises";

const fileOf = (name: string): URL => new URL(`corpus/${name}.json`, import.meta.url);

/** The inputs that earlier runs have kept for a parser. */
export async function readCorpus(name: string): Promise<readonly string[]> {
  const text = await readFile(fileOf(name), "utf8").catch(() => "[]");
  return JSON.parse(text);
}

export async function writeCorpus(name: string, inputs: readonly string[]): Promise<void> {
  await mkdir(new URL("./", fileOf(name)), { recursive: true });
  await writeFile(fileOf(name), `${JSON.stringify(inputs, undefined, 2)}\n`);
}
