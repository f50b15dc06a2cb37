import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { own } from "./contestants.ts";
import { quantile, table } from "./figures.ts";
import { fromSource } from "./install.ts";
import { addresses, run, times } from "./load.ts";
import { nameOf, PASSWORD } from "./peers/peer.ts";
import { launch, plant } from "./servers.ts";
import { get, latchkeySignIn } from "./wire.ts";

const USERS = 1_000;
const CONNECTIONS = 64;

/** The latency of a guarded page while sign-ins exceed the hashing capacity. */
export async function benchFlood(folder: string, count: number): Promise<string> {
  const latchkey = own.find(({ name }) => name === "Latchkey on Hono");
  if (latchkey === undefined) throw new Error("no such contestant");
  const data = join(folder, "flood");
  await mkdir(data);
  const place = { app: await fromSource.install(latchkey.origin, latchkey.packages), data };
  const [cookie] = await plant(latchkey, place, USERS);
  const request = get(latchkey.guarded, cookie);
  const server = await launch(latchkey, place, request, "all");
  const { port } = server;
  const guarded = (next: () => string | undefined): Promise<readonly number[]> =>
    run({ port, connections: 4, status: 200, next });
  try {
    await guarded(times(2_000, request));
    const calm = await guarded(times(2_000, request));
    const attempt = await latchkeySignIn.attempts(port);
    const clients = addresses();
    let left = count;
    let flooding = true;
    const flood = run({
      port,
      connections: CONNECTIONS,
      status: 303,
      next: () =>
        left-- > 0
          ? attempt(nameOf(left % USERS), PASSWORD, String(clients.next().value))
          : undefined,
    }).finally(() => {
      flooding = false;
    });
    const flooded = await guarded(() => (flooding ? request : undefined));
    await flood;
    return table([
      ["guarded page, ms", "p50", "p99", "p99.9", "requests"],
      rowOf("idle server", calm),
      rowOf(`${count} sign-ins, ${CONNECTIONS} at once`, flooded),
    ]);
  } finally {
    await server.stop();
  }
}

const rowOf = (name: string, values: readonly number[]): readonly string[] => [
  name,
  ...[0.5, 0.99, 0.999].map((share) => quantile(values, share).toFixed(2)),
  String(values.length),
];
