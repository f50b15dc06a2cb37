import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { Answer, Sending } from "../support/client.ts";
import { OWNER, type RunningGate } from "../support/gate.ts";
import { inSeconds, mint } from "../support/mint.ts";

interface Kind {
  readonly name: string;
  readonly path: string;
  readonly sending: (count: number) => Sending;
  /** The accepted responses while the database answers. */
  readonly sound: (answer: Answer) => boolean;
}

interface Probe {
  readonly kind: Kind;
  readonly answer: Answer;
  readonly ms: number;
}

export interface Load {
  /** The number of responses with that status so far. */
  count(status: number): number;
  /** Asserts that every request got a valid response in time. Returns how many signed in. */
  stop(): Promise<number>;
}

/** Many times what a page takes on a busy machine, whatever the state of the database. */
const ANSWERED_WITHIN_MS = 15_000;
const EVERY_MS = 15;

/** A separate address for each, so that the rate limit does not apply. */
const addressOf = (count: number): string => `127.1.${(count >> 8) & 255}.${count & 255}`;

const redirectsTo =
  (location: string) =>
  (answer: Answer): boolean =>
    answer.status === 303 && answer.location === location;

function kindsFor(session: string, password: string): readonly Kind[] {
  const unknownUser = mint({ user_id: "unknown", exp: inSeconds(3_600) });
  const opened = ({ status }: Answer): boolean => status === 200;
  return [
    { name: "guard", path: "/forward-auth", sending: () => ({ session }), sound: opened },
    {
      name: "guard for an unknown user",
      path: "/forward-auth",
      sending: () => ({ session: unknownUser }),
      sound: ({ status }) => status === 401,
    },
    { name: "account", path: "/account/profile", sending: () => ({ session }), sound: opened },
    {
      name: "sign-in",
      path: "/login",
      sending: (count) => ({ form: { ...OWNER, password }, from: addressOf(count) }),
      sound: redirectsTo("/"),
    },
    {
      name: "wrong sign-in",
      path: "/login",
      sending: (count) => ({ form: { ...OWNER, password: "wrong" }, from: addressOf(count) }),
      sound: redirectsTo("/login?error=1"),
    },
    {
      name: "setup",
      path: "/setup",
      sending: () => ({ form: { username: "second", password: "second", confirm: "second" } }),
      sound: redirectsTo("/login"),
    },
  ];
}

/** Sends requests of every kind without waiting for responses, until it is stopped. */
export function startLoad(
  t: TestContext,
  site: RunningGate,
  session: string,
  password: string = OWNER.password,
): Load {
  const kinds = kindsFor(session, password);
  const probes: Probe[] = [];
  const underWay: Promise<void>[] = [];
  const stopping = new AbortController();
  t.after(() => stopping.abort());

  async function probe(kind: Kind, count: number): Promise<void> {
    const start = performance.now();
    const answer = await site.send(kind.path, kind.sending(count));
    probes.push({ kind, answer, ms: performance.now() - start });
  }

  async function probeRepeatedly(): Promise<void> {
    for (let count = 0; !stopping.signal.aborted; count += 1) {
      const kind = kinds[count % kinds.length];
      if (kind !== undefined) underWay.push(probe(kind, count));
      await pause(EVERY_MS);
    }
  }

  const going = probeRepeatedly();
  return {
    count: (status) => probes.filter(({ answer }) => answer.status === status).length,
    async stop() {
      stopping.abort();
      await going;
      await Promise.all(underWay);
      assertSound(probes);
      const isSignedIn = redirectsTo("/");
      return probes.filter(({ kind, answer }) => kind.name === "sign-in" && isSignedIn(answer))
        .length;
    },
  };
}

function assertSound(probes: readonly Probe[]): void {
  const wrong = probes.filter(({ kind, answer }) => !kind.sound(answer) && !isUnavailable(answer));
  const late = probes.filter(({ ms }) => ms >= ANSWERED_WITHIN_MS);
  assert.deepEqual([wrong.map(shown), late.map(shown)], [[], []]);
}

const isUnavailable = ({ status, headers }: Answer): boolean =>
  status === 503 && Number(headers["retry-after"]) > 0;

const shown = ({ kind, answer, ms }: Probe): string =>
  `${kind.name}: ${answer.status} ${answer.location ?? ""} after ${Math.round(ms)} ms`;
