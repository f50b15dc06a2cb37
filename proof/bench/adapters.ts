import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { spreadOf, table } from "./figures.ts";
import { frameworks } from "./frameworks.ts";
import { get, run, times } from "./load.ts";
import { type Subject, startSubject } from "./subjects.ts";

const CONNECTIONS = 8;

/** What a warm guard adds to the same page of the same app, per framework. */
export async function benchAdapters(
  folder: string,
  rounds: number,
  requests: number,
): Promise<string> {
  const rows: string[][] = [["CPU a request, µs", "open", "guarded", "guarded to open"]];
  const subjects: [string, Subject][] = [];
  for (const framework of frameworks) {
    const own = await mkdtemp(join(folder, `${framework}-`));
    subjects.push([framework, await startSubject(framework, own, 1)]);
  }
  const costs = new Map(subjects.map(([name]) => [name, { open: [], guarded: [] } as Costs]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, subject] of subjects) {
      const open = await costOf(subject, "/hello", requests);
      const guarded = await costOf(subject, "/guarded", requests);
      // The first round is a warm-up.
      if (round === 0) continue;
      costs.get(name)?.open.push(open);
      costs.get(name)?.guarded.push(guarded);
    }
  }
  await Promise.all(subjects.map(([, subject]) => subject.stop()));
  for (const [name, { open, guarded }] of costs) {
    const ratio = spreadOf(guarded.map((cost, round) => cost / (open[round] ?? Number.NaN)));
    rows.push([
      name,
      spreadOf(open).median.toFixed(1),
      spreadOf(guarded).median.toFixed(1),
      ratio.median.toFixed(2),
    ]);
  }
  return table(rows);
}

interface Costs {
  readonly open: number[];
  readonly guarded: number[];
}

/** Both pages get the cookie, because parsing a header is not a cost of the guard. */
async function costOf(subject: Subject, path: string, requests: number): Promise<number> {
  const before = await subject.cpu();
  await run({
    port: subject.port,
    connections: CONNECTIONS,
    status: 200,
    next: times(requests, get(path, subject.tokens[0])),
  });
  return ((await subject.cpu()) - before) / requests;
}
