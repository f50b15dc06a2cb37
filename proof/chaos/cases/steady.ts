import { setTimeout as pause } from "node:timers/promises";
import { inSeconds, mint, partsOf } from "../../../test/support/mint.ts";
import { run } from "../../bench/load.ts";
import { get } from "../../bench/wire.ts";
import { setUp } from "../actions.ts";
import type { Case, CaseContext, Form } from "../case.ts";
import type { Gate, GateOptions } from "../gate.ts";
import {
  growthPerMinute,
  inMegabytes,
  judgeGrowth,
  judgePeak,
  type MemorySample,
} from "../judge/memory.ts";
import { judgeResponses, latencies } from "../judge/requests.ts";
import { startMix } from "../mix.ts";

/** What a gate remembers after a while of use. */
const SESSIONS = 10_500;
const MAX_RISE = 50 * 2 ** 20;
const P99_MS = 1_000;

const lengths: Readonly<Record<Form, Length>> = {
  short: { warmUpMs: 4_000, forMs: 10_000, sampleEveryMs: 500, maxBytes: 400 },
  full: { warmUpMs: 60_000, forMs: 600_000, sampleEveryMs: 5_000, maxBytes: 100 },
};

interface Length {
  readonly warmUpMs: number;
  readonly forMs: number;
  readonly sampleEveryMs: number;
  /** Per request. A leaked session takes more than 500 bytes; warming up takes less than this. */
  readonly maxBytes: number;
}

export const steady: Case = {
  name: "steady",
  about: "all requests for ten minutes, while memory is measured",
  seconds: { short: 19, full: 675 },
  pace: "measures",
  run: (context, form) => runSteady(context, lengths[form], []),
};

/** `inside` preloads a module into the gate, to prove that a leak is found. */
export async function runSteady(
  context: CaseContext,
  { warmUpMs, forMs, sampleEveryMs, maxBytes }: Length,
  inside: NonNullable<GateOptions["inside"]>,
): Promise<void> {
  const gate = await context.startGate(await context.folder(), { inside: ["heap", ...inside] });
  const session = await setUp(gate);
  await fillMemories(gate, session);
  const mix = startMix(context, gate.url, session);
  await pause(warmUpMs);
  const { heap, rss, minutes, answered } = await sampled(context, gate, mix, forMs, sampleEveryMs);
  const requestsPerMinute = answered / minutes;
  const sent = (await mix.stop()).slice(-answered);

  context.figure(
    "minutes, requests per second",
    `${minutes.toFixed(1)}, ${(requestsPerMinute / 60).toFixed(0)}`,
  );
  context.figure(
    "heap after garbage collection, first and last",
    ends(heap.map(({ bytes }) => bytes)),
  );
  const growth = growthPerMinute(heap);
  context.figure("growth of the heap", `${(growth / 2 ** 20).toFixed(3)} MB per minute`);
  context.figure(
    "growth of the heap per request",
    `${(growth / requestsPerMinute).toFixed(1)} bytes`,
  );
  context.figure("memory of the process, first and last", ends(rss));
  context.figure("responses", latencies(sent));
  context.check(
    `the heap grows by at most ${maxBytes} bytes per request`,
    judgeGrowth(heap, requestsPerMinute, maxBytes),
  );
  context.check(
    `the memory of the process rises by at most ${inMegabytes(MAX_RISE)}`,
    judgePeak("memory", rss, MAX_RISE),
  );
  context.check("every request gets the expected response", judgeResponses(sent, P99_MS));
}

/** Before the measurement, so that it starts with caches in use. */
async function fillMemories(gate: Gate, session: string): Promise<void> {
  const { user_id } = partsOf(session).claims;
  let left = SESSIONS;
  await run({
    port: gate.port,
    connections: 8,
    status: 200,
    next() {
      left -= 1;
      if (left < 0) return undefined;
      return get(
        "/forward-auth",
        `session=${mint({ user_id, exp: inSeconds(3_600), iat: 1, jti: left })}`,
      );
    },
  });
}

interface Sampled {
  readonly heap: readonly MemorySample[];
  readonly rss: readonly number[];
  readonly minutes: number;
  readonly answered: number;
}

async function sampled(
  context: CaseContext,
  gate: Gate,
  mix: ReturnType<typeof startMix>,
  forMs: number,
  everyMs: number,
): Promise<Sampled> {
  const heap: MemorySample[] = [];
  const rss: number[] = [];
  const start = performance.now();
  const before = mix.count();
  for (let at = 0; at < forMs; at = performance.now() - start) {
    const memory = await gate.sendInside<{ heap: number; rss: number }>("heap");
    heap.push({ at, bytes: memory.heap });
    rss.push(memory.rss);
    if (heap.length % 12 === 0)
      context.say(`${(at / 1_000).toFixed(0)} s: ${inMegabytes(memory.heap)}`);
    await pause(everyMs);
  }
  const minutes = (performance.now() - start) / 60_000;
  return { heap, rss, minutes, answered: mix.count() - before };
}

const ends = (values: readonly number[]): string =>
  [values[0] ?? Number.NaN, values.at(-1) ?? Number.NaN].map(inMegabytes).join(", ");
