import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { openPostgres } from "../../test/support/postgres.ts";
import { spreadOf, table } from "./figures.ts";
import { get, run, times } from "./load.ts";
import { type Subject, startSubject } from "./subjects.ts";

const CONNECTIONS = 8;

/**
 * CPU time a request: hello world bare and on Hono, behind a middleware that does nothing, and the
 * same page behind the guard.
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
  const strangers = cold.tokens.values();
  const strangersToPostgres = coldPostgres.tokens.values();
  const sessionOfPostgres = warmPostgres.tokens[0] ?? "";
  const session = warm.tokens[0] ?? "";

  const cases: readonly (readonly [string, Subject, () => () => string | undefined])[] = [
    ["bare node:http, hello", bare, () => times(requests, get("/hello"))],
    ["Hono, hello", hono, () => times(requests, get("/hello"))],
    ["Hono, hello, cookie sent", hono, () => times(requests, get("/hello", session))],
    ["Hono, hello, behind nothing", hono, () => times(requests, get("/through", session))],
    ["Hono and Latchkey, hello", warm, () => times(requests, get("/hello", session))],
    ["guarded, warm", warm, () => times(requests, get("/guarded", session))],
    ["forward auth, warm", warm, () => times(requests, get("/forward-auth", session))],
    ["guarded, cold", cold, () => eachOnce(strangers, requests)],
    [
      "PostgreSQL, guarded, warm",
      warmPostgres,
      () => times(requests, get("/guarded", sessionOfPostgres)),
    ],
    ["PostgreSQL, guarded, cold", coldPostgres, () => eachOnce(strangersToPostgres, requests)],
  ];
  const costs = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, subject, requestsOf] of cases) {
      const before = await subject.cpu();
      await run({ port: subject.port, connections: CONNECTIONS, status: 200, next: requestsOf() });
      const cost = ((await subject.cpu()) - before) / requests;
      // The first round only warms up.
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

/** Ratios are taken round by round, so that a slow moment of the machine counts on both sides. */
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
  return table([["CPU a request", "µs", "middle half", "of Hono, hello"], ...rows]);
}
