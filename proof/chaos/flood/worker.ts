/** Sends sign-ins at a steady rate from a thread of its own, so that it holds up no measurement. */
import { setTimeout as pause } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { OWNER } from "../../../test/support/gate.ts";
import { type Caller, callerTo, type Spoken } from "../caller.ts";
import { addresses, fromAddress } from "../visits.ts";
import type { Count, FloodOrder } from "./flood.ts";

const TICK_MS = 10;
/** Of one address; the sixth would be denied by the limit instead of meeting the queue. */
const PER_ADDRESS = 5;

/** The gate closes connections after five idle seconds, and says so: clients do not wait for that. */
const FRESH_FOR_MS = 4_000;

const { url, perSecond, forMs, mostAtOnce, firstAddress }: FloodOrder = workerData;

const clients = addresses(PER_ADDRESS, firstAddress);
const idle: { readonly caller: Caller; readonly since: number }[] = [];
const counts = new Map<string, Count>();
let underWay = 0;
let held = 0;

const start = performance.now();
const answers: Promise<void>[] = [];
let sent = 0;
for (let passed = 0; passed < forMs; passed = performance.now() - start) {
  for (const due = (passed / 1_000) * perSecond; sent < due; sent += 1) {
    // Clients that cannot connect, since so many wait, are no attempts.
    if (underWay >= mostAtOnce) held += 1;
    else answers.push(attempt());
  }
  await pause(TICK_MS);
}
await Promise.all(answers);
for (const { caller } of idle) caller.close();
parentPort?.postMessage({ counts: [...counts.values()], held });

async function attempt(): Promise<void> {
  underWay += 1;
  const caller = freshCaller();
  const spoken = await caller.ask({
    kind: "sign-in",
    path: "/login",
    form: OWNER,
    headers: fromAddress(clients.next().value),
    sound: () => true,
  });
  idle.push({ caller, since: performance.now() });
  underWay -= 1;
  count(spoken);
}

function freshCaller(): Caller {
  const last = idle.pop();
  if (last === undefined) return callerTo(url);
  if (performance.now() - last.since < FRESH_FOR_MS) return last.caller;
  last.caller.close();
  return callerTo(url);
}

function count({ fate, status, ms, heard }: Spoken): void {
  const what =
    fate !== "answered"
      ? fate
      : `${status}${heard?.location === undefined ? "" : ` ${heard.location}`}${heard?.retryAfter === undefined ? "" : " with Retry-After"}`;
  const before = counts.get(what) ?? { what, times: 0, slowestMs: 0 };
  counts.set(what, { what, times: before.times + 1, slowestMs: Math.max(before.slowestMs, ms) });
}
