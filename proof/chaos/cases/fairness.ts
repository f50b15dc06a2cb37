import { request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { send } from "../../../test/support/client.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { OWNER } from "../../../test/support/gate.ts";
import { addresses, fromAddress, isSignedIn, setUp, signIn } from "../actions.ts";
import { type Case, type CaseContext, unless } from "../case.ts";
import { createClient, type Request } from "../client.ts";
import type { Gate } from "../gate.ts";
import { inMs } from "../judge/requests.ts";

/** In each flood. Together they are more than may wait. */
const CLIENTS = 100;
const PAUSE_MS = 50;
const SIGN_INS = 10;
const BETWEEN_MS = { short: 200, full: 1_000 } as const;
/** Fewer than may wait. */
const LEAVING = 110;
const MIN_WAITING = 50;

export const fairness: Case = {
  name: "fairness",
  about: "one session and one network flood, then clients disconnect",
  seconds: { short: 5, full: 14 },
  pace: "measures",
  async run(context, form) {
    const gate = await context.startGate(await context.folder(), {
      settings: { METRICS_PORT: "0" },
    });
    const session = await setUp(gate);
    const changes = startFlood(context, gate, () => wrongChange(session));
    const others = networkAddresses();
    const signIns = startFlood(context, gate, () => wrongSignIn(others.next().value));
    await eventually(() => (changes.refused() > 0 && signIns.refused() > 0) || undefined);

    const took: number[] = [];
    for (let number = 1; number <= SIGN_INS; number += 1) {
      const start = performance.now();
      const answer = await signIn(gate, OWNER.password, `198.51.100.${number}`);
      if (isSignedIn(answer)) took.push(performance.now() - start);
      await pause(BETWEEN_MS[form]);
    }
    await Promise.all([changes.stop(), signIns.stop()]);

    context.figure("password changes in one session, refused", changes.summary());
    context.figure("sign-ins from one IPv6 /64, refused", signIns.summary());
    const succeeded = `${took.length} of ${SIGN_INS}`;
    context.figure(
      "sign-ins from elsewhere that succeed",
      `${succeeded}, the slowest after ${inMs(Math.max(...took))}`,
    );
    context.check(
      "every sign-in from elsewhere succeeds",
      unless(took.length === SIGN_INS, succeeded),
    );
    await disconnect(context, gate);
  },
};

const wrongChange = (session: string): Request => ({
  kind: "password change",
  path: "/account/password",
  session,
  form: { current_password: "wrong", new_password: "12345678", confirm_password: "12345678" },
  headers: fromAddress("203.0.113.7"),
  expected: () => true,
});

const wrongSignIn = (address: string): Request => ({
  kind: "sign-in",
  path: "/login",
  form: { ...OWNER, password: "wrong" },
  headers: fromAddress(address),
  expected: () => true,
});

/** Of one /64, five attempts each: the sixth would be denied by the limit. */
function* networkAddresses(): Generator<string, never> {
  for (let number = 1; ; number += 1) {
    for (let times = 0; times < 5; times += 1) yield `2001:db8::${number.toString(16)}`;
  }
}

interface Flood {
  refused(): number;
  summary(): string;
  stop(): Promise<void>;
}

/** Many clients, each of which sends one request after the other. Ends with the case. */
function startFlood(context: CaseContext, gate: Gate, next: () => Request): Flood {
  const statuses: number[] = [];
  const stopping = new AbortController();
  const going = Array.from({ length: CLIENTS }, async () => {
    const client = createClient(gate.url);
    while (!stopping.signal.aborted) {
      statuses.push((await client.send(next())).status);
      await pause(PAUSE_MS);
    }
    client.close();
  });
  const refused = (): number => statuses.filter((status) => status === 503).length;
  const stop = async (): Promise<void> => {
    stopping.abort();
    await Promise.all(going);
  };
  context.defer(stop);
  return { refused, summary: () => `${refused()} of ${statuses.length}`, stop };
}

/** Clients from many networks, which all disconnect while most of them wait. */
async function disconnect(context: CaseContext, gate: Gate): Promise<void> {
  await untilIdle(gate);
  const clients = addresses(1, 50_000);
  const sent = Array.from({ length: LEAVING }, () => startSignIn(gate, clients.next().value));
  const during = await eventually(async () => {
    const seen = await hashes(gate);
    return seen.waiting >= MIN_WAITING ? seen : undefined;
  });
  for (const end of sent) end();
  await untilIdle(gate);
  const computed = (await hashes(gate)).computed - during.computed;
  context.figure(
    `hashes for ${LEAVING} clients that disconnect`,
    `${during.waiting} wait, ${computed} are computed`,
  );
  context.check(
    "clients that have disconnected cost at most a quarter of the hashes that waited",
    unless(computed <= during.waiting / 4, `${computed} of ${during.waiting}`),
  );
}

function startSignIn(gate: Gate, address: string): () => void {
  const body = new URLSearchParams({ ...OWNER, password: "wrong" }).toString();
  const outgoing = request(`${gate.url}/login`, {
    method: "POST",
    agent: false,
    headers: {
      "Content-Type": "application/x-www-form-urlencoded",
      "Content-Length": body.length,
      ...fromAddress(address),
    },
  });
  outgoing.on("error", () => {});
  outgoing.end(body);
  return () => outgoing.destroy();
}

interface Hashes {
  readonly computed: number;
  readonly running: number;
  readonly waiting: number;
}

async function hashes(gate: Gate): Promise<Hashes> {
  const url = /metrics are at (http[^"\s]+)/.exec(gate.serverLog())?.[1] ?? "";
  const { body } = await send(url);
  const value = (name: string): number =>
    Number(new RegExp(`^latchkey_${name} (\\d+)$`, "m").exec(body)?.[1]);
  return {
    computed: value("hash_duration_seconds_count"),
    running: value("hashes_running"),
    waiting: value("hashes_waiting"),
  };
}

const untilIdle = (gate: Gate): Promise<true> =>
  eventually(async () => {
    const { running, waiting } = await hashes(gate);
    return running + waiting === 0 || undefined;
  });
