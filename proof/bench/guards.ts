import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { openPostgres } from "../../test/support/postgres.ts";
import { spreadOf, table } from "./figures.ts";
import { get, run, times } from "./load.ts";
import { type Subject, startSubject } from "./subjects.ts";

const CONNECTIONS = 8;

/**
 * The CPU time per request: hello world bare and on Hono, behind an empty middleware, and the same
 * page behind the guard.
 */
export async function benchGuards(
  folder: string,
  rounds: number,
  requests: number,
): Promise<string> {
  const bare = await startSubject("bare", folder, 0);
  const hono = await startSubject("hello", folder, 0);
  const warm = await startSubject("hono", await mkdtemp(join(folder, "warm-")), 1);
  const cold = await startSubject(
    "hono",
    await mkdtemp(join(folder, "cold-")),
    (rounds + 1) * requests,
  );
  const server = await openPostgres();
  const database = async (): Promise<string> => server.url(await server.createDatabase());
  const warmPostgres = await startSubject("hono", await database(), 1);
  const coldPostgres = await startSubject("hono", await database(), (rounds + 1) * requests);
  const uncached = cold.tokens.values();
  const uncachedPostgres = coldPostgres.tokens.values();
  const postgresSession = warmPostgres.tokens[0] ?? "";
  const session = warm.tokens[0] ?? "";

  const cases: readonly (readonly [string, Subject, () => () => string | undefined])[] = [
    ["bare node:http, hello", bare, () => times(requests, get("/hello"))],
    ["Hono, hello", hono, () => times(requests, get("/hello"))],
    ["Hono, hello, with cookie", hono, () => times(requests, get("/hello", session))],
    ["Hono, hello, empty middleware", hono, () => times(requests, get("/through", session))],
    ["Hono and Latchkey, hello", warm, () => times(requests, get("/hello", session))],
    ["guarded, warm", warm, () => times(requests, get("/guarded", session))],
    ["forward auth, warm", warm, () => times(requests, get("/forward-auth", session))],
    ["guarded, cold", cold, () => eachOnce(uncached, requests)],
    [
      "PostgreSQL, guarded, warm",
      warmPostgres,
      () => times(requests, get("/guarded", postgresSession)),
    ],
    ["PostgreSQL, guarded, cold", coldPostgres, () => eachOnce(uncachedPostgres, requests)],
  ];
  const costs = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, subject, requestsOf] of cases) {
      const before = await subject.cpu();
      await run({ port: subject.port, connections: CONNECTIONS, status: 200, next: requestsOf() });
      const cost = ((await subject.cpu()) - before) / requests;
      // The first round is a warm-up.
      if (round > 0) costs.set(name, [...(costs.get(name) ?? []), cost]);
    }
  }
  const subjects = [bare, hono, warm, cold, warmPostgres, coldPostgres];
  await Promise.all(subjects.map((subject) => subject.stop()));
  await server.close();
  return tableOf(costs);
}

function eachOnce(tokens: Iterator<string>, count: number): () => string | undefined {
  let left = count;
  return () => (left-- > 0 ? get("/guarded", tokens.next().value) : undefined);
}

/** Ratios are computed per round, so that a slow moment of the machine affects both sides. */
function tableOf(costs: ReadonlyMap<string, readonly number[]>): string {
  const hello = costs.get("Hono, hello") ?? [];
  const rows = [...costs].map(([name, values]) => {
    const { median, low, high } = spreadOf(values);
    const ratio = spreadOf(values.map((value, round) => value / (hello[round] ?? Number.NaN)));
    return [
      name,
      median.toFixed(1),
      `${low.toFixed(1)} to ${high.toFixed(1)}`,
      ratio.median.toFixed(2),
    ];
  });
  return table([["CPU per request", "µs", "middle half", "of Hono, hello"], ...rows]);
}
