/**
 * Changes the code in one small place at a time and looks whether a test notices:
 * `npm run mutants` takes up the files that changed since they were last tried, in order of weight;
 * `npm run mutants -- src/core/sign-in.ts …` tries these, whatever is known of them;
 * with `--survivors`, only what no test had noticed is tried again.
 */
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { digestOf, PARTS, type Part, sourcesOf, testsOf, textOf } from "./files.ts";
import { instrument, type Mutant, type Source } from "./instrumenter.ts";
import { folders, lineOf, scoreOf, survivorsOf, writePage } from "./report.ts";
import { keepResult, type Results, readResults, type Survivor, survivorOf } from "./results.ts";
import { openSandbox, type Sandbox } from "./sandbox.ts";
import { lookAt, noticing, type TestFile } from "./tests.ts";

const THRESHOLD = 90;
/** What a test file named after the source is worth before it has noticed anything. */
const AHEAD = 100;

const { values, positionals } = parseArgs({
  options: { survivors: { type: "boolean" } },
  allowPositionals: true,
});
const stopping = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.once(name, () => stopping.abort(`stopped by ${name}`));
}

const show = (text: string): void => console.error(text);

async function tryPart(part: Part): Promise<void> {
  const known = await readResults();
  const sources = await wantedOf(part, known);
  if (sources.length === 0) return;
  await using sandbox = await openSandbox();
  const { files, mutants } = await instrument(sources);
  await sandbox.write(files);
  show(`${part.folder}: ${mutants.length} mutants in ${sources.length} files; first all tests`);
  const tests = await lookAtAll(sandbox, await testsOf(part));
  for (const source of sources) {
    const { name, content } = source;
    const own = mutants.filter(({ fileName, status }) => fileName === name && status === undefined);
    const tried = own.filter((mutant) => isWanted(survivorOf(mutant, content, 0), known[name]));
    const survivors = await survivorsAmong(sandbox, tried, tests, source);
    await keepResult(name, { digest: digestOf(content), mutants: own.length, survivors });
    show(`${name}: ${own.length} mutants, ${survivors.length} survived`);
  }
}

async function wantedOf(part: Part, known: Results) {
  const all = await sourcesOf(part);
  const named = all.filter((file) => positionals.length === 0 || positionals.includes(file));
  const texts = await Promise.all(
    named.map(async (name) => ({ name, content: await textOf(name) })),
  );
  return texts.filter(({ name, content }) => {
    const isKnown = known[name]?.digest === digestOf(content);
    if (values.survivors === true) return isKnown && known[name]?.survivors.length !== 0;
    return positionals.length > 0 || !isKnown;
  });
}

function isWanted(one: Survivor, known: Results[string] | undefined): boolean {
  if (values.survivors !== true) return true;
  const same = (other: Survivor): boolean =>
    other.line === one.line && other.column === one.column && other.to === one.to;
  return known?.survivors.some(same) === true;
}

async function lookAtAll(sandbox: Sandbox, names: readonly string[]): Promise<TestFile[]> {
  const found: TestFile[] = [];
  for (const name of names) {
    const looked = await lookAt(sandbox, name, stopping.signal);
    if (typeof looked === "string") show(`${name} ${looked}: left out`);
    else found.push(looked);
  }
  return found;
}

async function survivorsAmong(
  sandbox: Sandbox,
  mutants: readonly Mutant[],
  tests: readonly TestFile[],
  { name, content }: Source,
): Promise<readonly Survivor[]> {
  const survivors: Survivor[] = [];
  const kills = new Map<TestFile, number>();
  /** How likely the test file is to notice a mutant, for the time that it takes. */
  const worth = (test: TestFile): number =>
    ((kills.get(test) ?? 0) + (isAbout(test, name) ? AHEAD : 1)) / test.ms;
  for (const mutant of mutants) {
    const likeliest = tests
      .filter(({ covers }) => covers.has(mutant.id))
      .sort((one, other) => worth(other) - worth(one));
    const killer = await noticing(sandbox, mutant.id, likeliest, stopping.signal);
    if (killer !== undefined) kills.set(killer, (kills.get(killer) ?? 0) + 1);
    else survivors.push(survivorOf(mutant, content, likeliest.length));
  }
  return survivors;
}

const isAbout = ({ name }: TestFile, source: string): boolean =>
  basename(name).startsWith(basename(source, ".ts"));

async function tryAll(): Promise<void> {
  const all = (await Promise.all(PARTS.map(sourcesOf))).flat();
  const unknown = positionals.filter((name) => !all.includes(name));
  if (unknown.length > 0) throw new Error(`no source of ours: ${unknown.join(", ")}`);
  for (const part of PARTS) await tryPart(part);
}

/** Those that were not reached yet, or have changed since. */
async function openFiles(known: Results): Promise<readonly string[]> {
  const all = (await Promise.all(PARTS.map(sourcesOf))).flat();
  const tried = await Promise.all(
    all.map(async (name) => known[name]?.digest === digestOf(await textOf(name))),
  );
  return all.filter((_, index) => tried[index] !== true);
}

async function report(): Promise<void> {
  const results = await readResults();
  await writePage(results, await openFiles(results));
  for (const found of await survivorsOf(results)) if (found.why === undefined) show(lineOf(found));
  show(folders(results));
  if (scoreOf(results) < THRESHOLD) process.exitCode = 1;
}

try {
  await tryAll();
} catch (error) {
  if (!stopping.signal.aborted) throw error;
  show(`${stopping.signal.reason}: the next run goes on with the file that this one was at`);
  process.exitCode = 1;
}
await report();
