/** Sends sign-ins at a steady rate, in a worker thread so that measurements are not delayed. */
import { setTimeout as pause } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { OWNER } from "../../../test/support/gate.ts";
import { addresses, fromAddress } from "../actions.ts";
import { type Client, createClient, type Exchange } from "../client.ts";
import type { Count, FloodOptions } from "./flood.ts";

const TICK_MS = 10;
/** The sixth attempt of an address would be rate-limited instead of reaching the queue. */
const PER_ADDRESS = 5;

/** The gate closes idle connections after five seconds and announces it, so clients stop earlier. */
const FRESH_FOR_MS = 4_000;

const { url, perSecond, forMs, maxPending, firstAddress }: FloodOptions = workerData;

const clients = addresses(PER_ADDRESS, firstAddress);
const idle: { readonly client: Client; readonly since: number }[] = [];
const counts = new Map<string, Count>();
let pending = 0;
let held = 0;

const start = performance.now();
const answers: Promise<void>[] = [];
let sent = 0;
for (let passed = 0; passed < forMs; passed = performance.now() - start) {
  for (const due = (passed / 1_000) * perSecond; sent < due; sent += 1) {
    // Over the limit, the attempt is counted but not sent.
    if (pending >= maxPending) held += 1;
    else answers.push(attempt());
  }
  await pause(TICK_MS);
}
await Promise.all(answers);
for (const { client } of idle) client.close();
parentPort?.postMessage({ counts: [...counts.values()], held });

async function attempt(): Promise<void> {
  pending += 1;
  const client = freshClient();
  const exchange = await client.send({
    kind: "sign-in",
    path: "/login",
    form: OWNER,
    headers: fromAddress(clients.next().value),
    expected: () => true,
  });
  idle.push({ client, since: performance.now() });
  pending -= 1;
  count(exchange);
}

function freshClient(): Client {
  const last = idle.pop();
  if (last === undefined) return createClient(url);
  if (performance.now() - last.since < FRESH_FOR_MS) return last.client;
  last.client.close();
  return createClient(url);
}

function count({ fate, status, ms, response }: Exchange): void {
  const what =
    fate !== "answered"
      ? fate
      : `${status}${response?.location === undefined ? "" : ` ${response.location}`}${response?.retryAfter === undefined ? "" : " with Retry-After"}`;
  const before = counts.get(what) ?? { what, times: 0, slowestMs: 0 };
  counts.set(what, { what, times: before.times + 1, slowestMs: Math.max(before.slowestMs, ms) });
}
