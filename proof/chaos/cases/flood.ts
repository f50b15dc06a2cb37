import { setTimeout as pause } from "node:timers/promises";
import { eventually } from "../../../test/support/eventually.ts";
import { OWNER } from "../../../test/support/gate.ts";
import { isSignedIn, setUp, signIn } from "../actions.ts";
import { type Case, type CaseContext, unless } from "../case.ts";
import { judgeFlood, OVERLOADED, SIGNED_IN, sendFlood } from "../flood/flood.ts";
import type { Gate } from "../gate.ts";
import { inMegabytes, judgePeak, riseOf } from "../judge/memory.ts";
import { inMs, judgeResponses, latencies } from "../judge/requests.ts";
import { guardRequest, startProbe } from "../probe.ts";
import { residentBytes } from "../process.ts";

const TIMES_CAPACITY = 10;
/** Below five attempts of 10,000 addresses each, because above it the limiter rejects them. */
const MAX_ATTEMPTS = 45_000;
const CAPACITY_FOR_MS = 2_000;
const WARM_UP_MS = { short: 2_500, full: 10_000 } as const;
const FLOOD_MS = { short: 7_000, full: 60_000 } as const;
/** Far more than the gate's queue holds. */
const MAX_PENDING = 400;
/** Higher, because the hashing and the clients use every core. */
const FLOODED_P99_MS = { short: 1_000, full: 500 } as const;
const RECOVERED_WITHIN_MS = 2_000;
const MAX_RISE = 50 * 2 ** 20;

export const flood: Case = {
  name: "flood",
  about: "more sign-ins arrive than can be hashed",
  seconds: { short: 14, full: 78 },
  pace: "measures",
  async run(context, form) {
    const gate = await context.startGate(await context.folder());
    const session = await setUp(gate);
    const capacity = await capacityOf(gate);
    const forMs = FLOOD_MS[form];
    const perSecond = Math.min(
      capacity * TIMES_CAPACITY,
      MAX_ATTEMPTS / ((forMs + WARM_UP_MS[form]) / 1_000),
    );
    context.say(
      `capacity ${capacity.toFixed(0)} sign-ins per second, flooding with ${perSecond.toFixed(0)}`,
    );
    const order = { url: gate.url, perSecond, maxPending: MAX_PENDING };
    await sendFlood({ ...order, forMs: WARM_UP_MS[form], firstAddress: 10_000 });

    const memory = startSampling(context, gate.pid);
    const guards = startProbe(context, gate.url, () => guardRequest(session));
    const flooded = await sendFlood({ ...order, forMs, firstAddress: 20_000 });
    const samples = await memory.stop();
    const answered = await guards.stop();
    const recoveredAfter = await recovery(gate);

    context.figure("capacity in sign-ins per second", capacity.toFixed(0));
    context.figure("sign-ins per second in the flood", perSecond.toFixed(0));
    for (const { what, times, slowestMs } of flooded.counts) {
      context.figure(`result ${what}`, `${times}, the slowest after ${inMs(slowestMs)}`);
    }
    context.figure("not sent, because 400 were waiting", String(flooded.held));
    context.figure("guards during the flood", latencies(answered));
    context.figure("a sign-in works again after", inMs(recoveredAfter));
    context.figure("memory at the start, maximum", spanOf(samples));
    context.figure("memory rise after the first quarter", inMegabytes(riseOf(samples)));
    report(context, { flooded, recoveredAfter });
    // A short flood ends before the heap has the size that it keeps.
    if (form === "full") {
      context.check(
        `memory rises by at most ${inMegabytes(MAX_RISE)}`,
        judgePeak("memory", samples, MAX_RISE),
      );
    }
    context.check(
      `guards respond, p99 within ${inMs(FLOODED_P99_MS[form])}`,
      judgeResponses(answered, FLOODED_P99_MS[form]),
    );
  },
};

/** Measures with enough requests at once to saturate the hashing, and fewer than the queue holds. */
async function capacityOf(gate: Gate): Promise<number> {
  const perSecond = 10_000;
  const { counts } = await sendFlood({
    url: gate.url,
    perSecond,
    forMs: CAPACITY_FOR_MS,
    maxPending: 8,
    firstAddress: 1,
  });
  const letIn = counts.find(({ what }) => what === SIGNED_IN)?.times ?? 0;
  return (letIn / CAPACITY_FOR_MS) * 1_000;
}

function startSampling(context: CaseContext, pid: number): { stop(): Promise<readonly number[]> } {
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
  context.defer(stop);
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
  context: CaseContext,
  {
    flooded,
    recoveredAfter,
  }: {
    readonly flooded: Parameters<typeof judgeFlood>[0];
    readonly recoveredAfter: number;
  },
): void {
  context.check(`every sign-in succeeds or gets ${OVERLOADED}`, judgeFlood(flooded));
  context.check(
    `it recovers within ${inMs(RECOVERED_WITHIN_MS)}`,
    unless(recoveredAfter <= RECOVERED_WITHIN_MS, inMs(recoveredAfter)),
  );
}
