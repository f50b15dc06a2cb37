import { setTimeout as pause } from "node:timers/promises";
import type { CaseContext } from "./case.ts";
import { createClient, type Exchange, type Request } from "./client.ts";

export interface Probe {
  stop(): Promise<readonly Exchange[]>;
}

const PAUSE_MS = 10;

export const guardRequest = (session: string): Request => ({
  kind: "guard",
  path: "/forward-auth",
  session,
  expected: ({ status }) => status === 200,
});

/** Sends one request after the other over one connection, with a pause. Ends with the case. */
export function startProbe(
  context: CaseContext,
  url: string,
  next: () => Request,
  pauseMs: number = PAUSE_MS,
): Probe {
  const client = createClient(url);
  const sent: Exchange[] = [];
  const stopping = new AbortController();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      sent.push(await client.send(next()));
      await pause(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  const stop = async (): Promise<readonly Exchange[]> => {
    stopping.abort();
    await running;
    client.close();
    return sent;
  };
  context.defer(stop);
  return { stop };
}
