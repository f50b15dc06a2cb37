import { setTimeout as pause } from "node:timers/promises";
import { eventually } from "../../../test/support/eventually.ts";
import { OWNER } from "../../../test/support/gate.ts";
import { type Case, type Stage, unless } from "../case.ts";
import { EXCESS, judgeFlood, LET_IN, pour } from "../flood/flood.ts";
import type { Gate } from "../gate.ts";
import { inMegabytes, judgePeak, riseOf } from "../judge/memory.ts";
import { inMs, judgeAnswers, latencies } from "../judge/requests.ts";
import { guardRequest, startProbe } from "../probe.ts";
import { residentBytes } from "../process.ts";
import { isSignedIn, setUp, signIn } from "../visits.ts";

const TIMES_CAPACITY = 10;
/** Below the limit of 10,000 addresses, five attempts each: past it, the limiter answers. */
const MOST_ATTEMPTS = 45_000;
const CAPACITY_FOR_MS = 2_000;
const WARM_UP_MS = { short: 2_500, full: 10_000 } as const;
const FLOOD_MS = { short: 7_000, full: 60_000 } as const;
/** More than the gate lets wait, by far. */
const MOST_AT_ONCE = 400;
/** Hashing has every core then, and the clients besides. */
const FLOODED_P99_MS = { short: 1_000, full: 500 } as const;
const RECOVERED_WITHIN_MS = 2_000;
const MOST_RISE = 50 * 2 ** 20;

export const flood: Case = {
  name: "flood",
  about: "sign-ins come in at ten times the rate that can be hashed",
  seconds: { short: 14, full: 78 },
  pace: "measures",
  async run(stage, form) {
    const gate = await stage.startGate(await stage.folder());
    const session = await setUp(gate);
    const capacity = await capacityOf(gate);
    const forMs = FLOOD_MS[form];
    const perSecond = Math.min(
      capacity * TIMES_CAPACITY,
      MOST_ATTEMPTS / ((forMs + WARM_UP_MS[form]) / 1_000),
    );
    stage.say(
      `${capacity.toFixed(0)} sign-ins a second at most, flooding with ${perSecond.toFixed(0)}`,
    );
    const order = { url: gate.url, perSecond, mostAtOnce: MOST_AT_ONCE };
    await pour({ ...order, forMs: WARM_UP_MS[form], firstAddress: 10_000 });

    const memory = startSampling(stage, gate.pid);
    const guards = startProbe(stage, gate.url, () => guardRequest(session));
    const flooded = await pour({ ...order, forMs, firstAddress: 20_000 });
    const samples = await memory.stop();
    const answered = await guards.stop();
    const recoveredAfter = await recovery(gate);

    stage.figure("sign-ins a second that can be hashed", capacity.toFixed(0));
    stage.figure("sign-ins a second that came", perSecond.toFixed(0));
    for (const { what, times, slowestMs } of flooded.counts) {
      stage.figure(`answered ${what}`, `${times}, the slowest after ${inMs(slowestMs)}`);
    }
    stage.figure("not even sent, since 400 waited", String(flooded.held));
    stage.figure("guards meanwhile", latencies(answered));
    stage.figure("a sign-in works again after", inMs(recoveredAfter));
    stage.figure("memory at the beginning, at most", spanOf(samples));
    stage.figure("it rises after the first quarter by", inMegabytes(riseOf(samples)));
    report(stage, { flooded, samples, recoveredAfter });
    stage.promise(
      `guards answer, 99 of 100 within ${inMs(FLOODED_P99_MS[form])}`,
      judgeAnswers(answered, FLOODED_P99_MS[form]),
    );
  },
};

/** As many at once as keep the hashing busy, and no more than may wait. */
async function capacityOf(gate: Gate): Promise<number> {
  const perSecond = 10_000;
  const { counts } = await pour({
    url: gate.url,
    perSecond,
    forMs: CAPACITY_FOR_MS,
    mostAtOnce: 8,
    firstAddress: 1,
  });
  const letIn = counts.find(({ what }) => what === LET_IN)?.times ?? 0;
  return (letIn / CAPACITY_FOR_MS) * 1_000;
}

function startSampling(stage: Stage, pid: number): { stop(): Promise<readonly number[]> } {
  const samples: number[] = [];
  const stopping = new AbortController();
  const going = (async () => {
    while (!stopping.signal.aborted) {
      samples.push(residentBytes(pid));
      await pause(250, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  const stop = async (): Promise<readonly number[]> => {
    stopping.abort();
    await going;
    return samples;
  };
  stage.defer(stop);
  return { stop };
}

async function recovery(gate: Gate): Promise<number> {
  const start = performance.now();
  let attempt = 0;
  await eventually(async () => {
    attempt += 1;
    return isSignedIn(await signIn(gate, OWNER.password, `10.200.0.${attempt % 250}`)) || undefined;
  });
  return performance.now() - start;
}

const spanOf = (samples: readonly number[]): string =>
  [samples[0] ?? Number.NaN, Math.max(...samples)].map(inMegabytes).join(", ");

function report(
  stage: Stage,
  {
    flooded,
    samples,
    recoveredAfter,
  }: {
    readonly flooded: Parameters<typeof judgeFlood>[0];
    readonly samples: readonly number[];
    readonly recoveredAfter: number;
  },
): void {
  stage.promise(`what is too much is answered ${EXCESS}, the rest let in`, judgeFlood(flooded));
  stage.promise(
    `memory rises by ${inMegabytes(MOST_RISE)} at most`,
    judgePeak("memory", samples, MOST_RISE),
  );
  stage.promise(
    `it recovers within ${inMs(RECOVERED_WITHIN_MS)}`,
    unless(recoveredAfter <= RECOVERED_WITHIN_MS, inMs(recoveredAfter)),
  );
}
