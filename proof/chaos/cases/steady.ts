import { setTimeout as pause } from "node:timers/promises";
import { inSeconds, mint, partsOf } from "../../../test/support/mint.ts";
import { get, run } from "../../bench/load.ts";
import type { Case, Form, Stage } from "../case.ts";
import type { Gate, GateOptions } from "../gate.ts";
import {
  growthPerMinute,
  inMegabytes,
  judgeGrowth,
  judgePeak,
  type MemorySample,
} from "../judge/memory.ts";
import { judgeAnswers, latencies } from "../judge/requests.ts";
import { startMix } from "../mix.ts";
import { setUp } from "../visits.ts";

/** As many as the gate remembers: from then on, nothing may be kept but in the place of another. */
const SESSIONS = 10_500;
const MOST_RISE = 50 * 2 ** 20;
const P99_MS = 1_000;

const lengths: Readonly<Record<Form, Length>> = {
  short: { warmUpMs: 4_000, forMs: 10_000, sampleEveryMs: 500, mostBytes: 250 },
  full: { warmUpMs: 60_000, forMs: 600_000, sampleEveryMs: 5_000, mostBytes: 100 },
};

interface Length {
  readonly warmUpMs: number;
  readonly forMs: number;
  readonly sampleEveryMs: number;
  /** With every request. The memory of one session is more than 500; what is warming up, less. */
  readonly mostBytes: number;
}

export const steady: Case = {
  name: "steady",
  about: "everything that people do, for minutes on end, while memory is looked at",
  seconds: { short: 19, full: 675 },
  pace: "measures",
  run: (stage, form) => runSteady(stage, lengths[form], []),
};

/** With something loaded into the gate besides, to see that a leak is found. */
export async function runSteady(
  stage: Stage,
  { warmUpMs, forMs, sampleEveryMs, mostBytes }: Length,
  inside: NonNullable<GateOptions["inside"]>,
): Promise<void> {
  const gate = await stage.startGate(await stage.folder(), { inside: ["heap", ...inside] });
  const session = await setUp(gate);
  await fillMemories(gate, session);
  const mix = startMix(stage, gate.url, session);
  await pause(warmUpMs);
  const { heap, rss, minutes, answered } = await sampled(stage, gate, mix, forMs, sampleEveryMs);
  const requestsPerMinute = answered / minutes;
  const sent = (await mix.stop()).slice(-answered);

  stage.figure(
    "minutes, requests a second",
    `${minutes.toFixed(1)}, ${(requestsPerMinute / 60).toFixed(0)}`,
  );
  stage.figure("heap after collecting, at first and at last", ends(heap.map(({ bytes }) => bytes)));
  const growth = growthPerMinute(heap);
  stage.figure("growth of the heap", `${(growth / 2 ** 20).toFixed(3)} MB a minute`);
  stage.figure("that is for each request", `${(growth / requestsPerMinute).toFixed(1)} bytes`);
  stage.figure("memory of the process, at first and at last", ends(rss));
  stage.figure("answers", latencies(sent));
  stage.promise(
    `the heap grows by ${mostBytes} bytes a request at most`,
    judgeGrowth(heap, requestsPerMinute, mostBytes),
  );
  stage.promise(
    `the memory of the process rises by ${inMegabytes(MOST_RISE)} at most`,
    judgePeak("memory", rss, MOST_RISE),
  );
  stage.promise("every request is answered as it should be", judgeAnswers(sent, P99_MS));
}

/** What is bounded is full before anything is measured. */
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
      return get("/forward-auth", mint({ user_id, exp: inSeconds(3_600), iat: 1, jti: left }));
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
  stage: Stage,
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
    const memory = await gate.askInside<{ heap: number; rss: number }>("heap");
    heap.push({ at, bytes: memory.heap });
    rss.push(memory.rss);
    if (heap.length % 12 === 0)
      stage.say(`${(at / 1_000).toFixed(0)} s: ${inMegabytes(memory.heap)}`);
    await pause(everyMs);
  }
  const minutes = (performance.now() - start) / 60_000;
  return { heap, rss, minutes, answered: mix.count() - before };
}

const ends = (values: readonly number[]): string =>
  [values[0] ?? Number.NaN, values.at(-1) ?? Number.NaN].map(inMegabytes).join(", ");
