import { setTimeout as pause } from "node:timers/promises";
import { OWNER } from "../../test/support/gate.ts";
import { fromAddress } from "./actions.ts";
import type { CaseContext } from "./case.ts";
import { createClient, type Exchange, type Request } from "./client.ts";
import { guardRequest } from "./probe.ts";

export interface Mix {
  count(): number;
  stop(): Promise<readonly Exchange[]>;
}

/** The client addresses in use. Each makes two attempts a minute at most, below the limit. */
const ADDRESSES = 400;

interface Visitor {
  readonly perSecond: number;
  request(): Request;
}

/**
 * A mix of all requests, 200 a second in total. Uses one session throughout, because the gate caches
 * each new one for a while.
 */
export function startMix(context: CaseContext, url: string, session: string): Mix {
  let attempts = 0;
  const address = (): Readonly<Record<string, string>> => {
    attempts += 1;
    return fromAddress(`10.7.${(attempts % ADDRESSES) >> 8}.${(attempts % ADDRESSES) & 255}`);
  };
  const visitors: readonly Visitor[] = [
    ...Array.from({ length: 4 }, () => ({ perSecond: 35, request: () => guardRequest(session) })),
    { perSecond: 20, request: () => page("/login", 200) },
    { perSecond: 10, request: () => ({ ...page("/account/profile", 200), session }) },
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
  const sent: Exchange[] = [];
  const stopping = new AbortController();
  const running = visitors.map((visitor) => visit(url, visitor, sent, stopping.signal));
  const stop = async (): Promise<readonly Exchange[]> => {
    stopping.abort();
    await Promise.all(running);
    return sent;
  };
  context.defer(stop);
  return { count: () => sent.length, stop };
}

/** A change to the same password, so that sign-ins keep working. */
const SAME = {
  current_password: OWNER.password,
  new_password: OWNER.password,
  confirm_password: OWNER.password,
};

const page = (path: string, status: number): Request => ({
  kind: path,
  path,
  expected: (response) => response.status === status,
});

const post = (path: string, form: Request["form"], location: string): Request => ({
  kind: `POST ${path}`,
  path,
  ...(form === undefined ? {} : { form }),
  expected: (response) => response.status === 303 && response.location === location,
});

async function visit(
  url: string,
  { perSecond, request }: Visitor,
  sent: Exchange[],
  stop: AbortSignal,
): Promise<void> {
  const client = createClient(url);
  while (!stop.aborted) {
    const exchange = await client.send(request());
    // Without the body, because there are about 100,000 of them.
    sent.push({ ...exchange, response: undefined });
    const rest = Math.max(0, 1_000 / perSecond - exchange.ms);
    await pause(rest, undefined, { signal: stop }).catch(() => {});
  }
  client.close();
}
