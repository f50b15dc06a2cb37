import { mkdir, readFile, writeFile } from "node:fs/promises";

/** A line of JSON for each input. */
const fileOf = (name: string): URL => new URL(`corpus/${name}.txt`, import.meta.url);

/** The inputs that earlier runs have kept for a parser. */
export async function readCorpus(name: string): Promise<readonly string[]> {
  const text = await readFile(fileOf(name), "utf8").catch(() => "");
  return text.split("\n").flatMap((line) => (line === "" ? [] : JSON.parse(line)));
}

export async function writeCorpus(name: string, inputs: readonly string[]): Promise<void> {
  await mkdir(new URL("./", fileOf(name)), { recursive: true });
  await writeFile(fileOf(name), inputs.map((one) => `${JSON.stringify(one)}\n`).join(""));
}
