/**
 * Mutation testing: changes the code in one small place at a time and checks whether a test fails.
 * `npm run proof -- mutants` tests the files that changed since their last run here, the most
 * important first; with the paths of files, only these; with `--survivors`, only changes that no test
 * has noticed.
 */
import { availableParallelism } from "node:os";
import { basename, dirname } from "node:path";
import { parseArgs } from "node:util";
import { digestOf, PARTS, type Part, sourcesOf, testsOf, textOf } from "./files.ts";
import { instrument, type Mutant, type Source } from "./instrumenter.ts";
import { foldersTable, lineOf, scoreOf, survivorsOf, writePage } from "./report.ts";
import { type Results, readResults, type Survivor, saveResult, survivorOf } from "./results.ts";
import { openSandbox, type Sandbox } from "./sandbox.ts";
import { findKiller, measureTest, type TestFile } from "./tests.ts";

/** In percent. A lower score makes the command fail. */
const MIN_SCORE = 95;
/** The number of test files that run per mutant, the likeliest first. A survivor gets all of them. */
const MAX_TESTS = 15;
/** The head start, in kills, of a test file named after the source, and of one in its folder. */
const NAME_BONUS = 100;
const FOLDER_BONUS = 10;

const { values, positionals } = parseArgs({
  options: { survivors: { type: "boolean" } },
  allowPositionals: true,
});
const stopping = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.once(name, () => stopping.abort(`stopped by ${name}`));
}

const show = (text: string): void => console.error(text);

async function testPart(part: Part): Promise<void> {
  const known = await readResults();
  const sources = await selectedOf(part, known);
  if (sources.length === 0) return;
  await using sandbox = await openSandbox();
  const { files, mutants } = await instrument(sources);
  await sandbox.write(files);
  show(
    `${part.folder}: ${mutants.length} mutants in ${sources.length} files; first every test without mutants`,
  );
  const tests = await measureTests(sandbox, await testsOf(part));
  for (const source of sources) {
    const { name, content } = source;
    const own = mutants.filter(({ fileName, status }) => fileName === name && status === undefined);
    const selected = own.filter((mutant) =>
      isSelected(survivorOf(mutant, content, 0), known[name]),
    );
    const survivors = await survivorsAmong(sandbox, selected, tests, source);
    await saveResult(name, { digest: digestOf(content), mutants: own.length, survivors });
    show(`${name}: ${own.length} mutants, ${survivors.length} survived`);
  }
}

async function selectedOf(part: Part, known: Results) {
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

function isSelected(one: Survivor, known: Results[string] | undefined): boolean {
  if (values.survivors !== true) return true;
  const same = (other: Survivor): boolean =>
    other.line === one.line && other.column === one.column && other.to === one.to;
  return known?.survivors.some(same) === true;
}

async function measureTests(sandbox: Sandbox, names: readonly string[]): Promise<TestFile[]> {
  const found: TestFile[] = [];
  await onAllCores(names, async (name) => {
    const measured = await measureTest(sandbox, name, stopping.signal);
    if (typeof measured === "string") show(`${name} ${measured}: not used`);
    else found.push(measured);
  });
  return found;
}

async function onAllCores<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const waiting = all.values();
  const workThrough = async (): Promise<void> => {
    for (const one of waiting) await work(one);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, workThrough));
}

async function survivorsAmong(
  sandbox: Sandbox,
  mutants: readonly Mutant[],
  tests: readonly TestFile[],
  { name, content }: Source,
): Promise<readonly Survivor[]> {
  const survivors: Survivor[] = [];
  const kills = new Map<TestFile, number>();
  /** How many mutants the test file may kill per millisecond. */
  const worth = (test: TestFile): number =>
    ((kills.get(test) ?? 0) + bonusOf(test, name)) / test.ms;
  await onAllCores(mutants, async (mutant) => {
    const likeliest = tests
      .filter(({ covers }) => covers.has(mutant.id))
      .sort((one, other) => worth(other) - worth(one));
    const tried = values.survivors === true ? likeliest : likeliest.slice(0, MAX_TESTS);
    const killer = await findKiller(sandbox, mutant.id, tried, stopping.signal);
    if (killer !== undefined) kills.set(killer, (kills.get(killer) ?? 0) + 1);
    else survivors.push(survivorOf(mutant, content, likeliest.length));
  });
  return survivors;
}

function bonusOf({ name }: TestFile, source: string): number {
  if (basename(name).startsWith(basename(source, ".ts"))) return NAME_BONUS;
  return dirname(name) === dirname(source).replace("src", "test") ? FOLDER_BONUS : 1;
}

const allSources = async (): Promise<readonly string[]> =>
  (await Promise.all(PARTS.map(sourcesOf))).flat();

async function testAll(): Promise<void> {
  const all = await allSources();
  const unknown = positionals.filter((name) => !all.includes(name));
  if (unknown.length > 0)
    throw new Error(`not a file whose mutants are tested: ${unknown.join(", ")}`);
  for (const part of PARTS) await testPart(part);
}

/** Keeps the page until each file has a result, because its figures cover all files. */
async function updatePage(results: Results): Promise<void> {
  const all = await allSources();
  if (all.some((name) => results[name] === undefined)) return;
  const current = await Promise.all(
    all.map(async (name) => results[name]?.digest === digestOf(await textOf(name))),
  );
  await writePage(
    results,
    all.filter((_, index) => current[index] !== true),
  );
}

async function report(): Promise<void> {
  const results = await readResults();
  await updatePage(results);
  for (const found of await survivorsOf(results)) if (found.why === undefined) show(lineOf(found));
  show(foldersTable(results));
  if (scoreOf(results) < MIN_SCORE) process.exitCode = 1;
}

try {
  await testAll();
} catch (error) {
  if (!stopping.signal.aborted) throw error;
  show(`${stopping.signal.reason}; the next run continues with the current file`);
  process.exitCode = 1;
}
await report();
