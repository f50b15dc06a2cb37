import { setTimeout as pause } from "node:timers/promises";
import { OWNER } from "../../test/support/gate.ts";
import { callerTo, type Request, type Spoken } from "./caller.ts";
import type { Stage } from "./case.ts";
import { guardRequest } from "./probe.ts";
import { fromAddress } from "./visits.ts";

export interface Mix {
  count(): number;
  stop(): Promise<readonly Spoken[]>;
}

/** Four attempts a minute of each, below the limit, and never more addresses than these. */
const ADDRESSES = 400;

interface Visitor {
  /** How often. */
  readonly perSecond: number;
  request(): Request;
}

/**
 * Everything that people do, each at its rate: two hundred requests a second together. Over and over
 * with one session, since the gate rightly remembers every new one for a while.
 */
export function startMix(stage: Stage, url: string, session: string): Mix {
  let attempts = 0;
  const address = (): Readonly<Record<string, string>> => {
    attempts += 1;
    return fromAddress(`10.7.${(attempts % ADDRESSES) >> 8}.${(attempts % ADDRESSES) & 255}`);
  };
  const visitors: readonly Visitor[] = [
    ...Array.from({ length: 4 }, () => ({ perSecond: 35, request: () => guardRequest(session) })),
    { perSecond: 20, request: () => page("/login", 200) },
    { perSecond: 10, request: () => ({ ...page("/", 200), session }) },
    { perSecond: 5, request: () => page("/nowhere", 404) },
    { perSecond: 5, request: () => post("/logout", {}, "/login") },
    { perSecond: 5, request: () => post("/setup", { username: "second" }, "/login") },
    {
      perSecond: 8,
      request: () => ({ ...post("/login", OWNER, "/"), headers: address() }),
    },
    {
      perSecond: 4,
      request: () => ({
        ...post("/login", { ...OWNER, password: "wrong" }, "/login?error=1"),
        headers: address(),
      }),
    },
    { perSecond: 1, request: () => ({ ...post("/account/password", SAME, "/"), session }) },
  ];
  const sent: Spoken[] = [];
  const stopping = new AbortController();
  const going = visitors.map((visitor) => visit(url, visitor, sent, stopping.signal));
  const stop = async (): Promise<readonly Spoken[]> => {
    stopping.abort();
    await Promise.all(going);
    return sent;
  };
  stage.defer(stop);
  return { count: () => sent.length, stop };
}

/** A change to itself, so that nobody is sent away. */
const SAME = {
  current_password: OWNER.password,
  new_password: OWNER.password,
  confirm_password: OWNER.password,
};

const page = (path: string, status: number): Request => ({
  kind: path,
  path,
  sound: (answer) => answer.status === status,
});

const post = (path: string, form: Request["form"], location: string): Request => ({
  kind: `POST ${path}`,
  path,
  ...(form === undefined ? {} : { form }),
  sound: (answer) => answer.status === 303 && answer.location === location,
});

async function visit(
  url: string,
  { perSecond, request }: Visitor,
  sent: Spoken[],
  stop: AbortSignal,
): Promise<void> {
  const caller = callerTo(url);
  while (!stop.aborted) {
    const spoken = await caller.ask(request());
    // Without the page, of which there will be a hundred thousand.
    sent.push({ ...spoken, heard: undefined });
    const rest = Math.max(0, 1_000 / perSecond - spoken.ms);
    await pause(rest, undefined, { signal: stop }).catch(() => {});
  }
  caller.close();
}
