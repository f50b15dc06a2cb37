import { setTimeout as pause } from "node:timers/promises";
import { callerTo, type Request, type Spoken } from "./caller.ts";
import type { Stage } from "./case.ts";

export interface Probe {
  stop(): Promise<readonly Spoken[]>;
}

const PAUSE_MS = 10;

export const guardRequest = (session: string): Request => ({
  kind: "guard",
  path: "/forward-auth",
  session,
  sound: ({ status }) => status === 200,
});

/** One request after the other over one connection, with a breath in between. Ends with the case. */
export function startProbe(
  stage: Stage,
  url: string,
  next: () => Request,
  pauseMs: number = PAUSE_MS,
): Probe {
  const caller = callerTo(url);
  const sent: Spoken[] = [];
  const stopping = new AbortController();
  const going = (async () => {
    while (!stopping.signal.aborted) {
      sent.push(await caller.ask(next()));
      await pause(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  const stop = async (): Promise<readonly Spoken[]> => {
    stopping.abort();
    await going;
    caller.close();
    return sent;
  };
  stage.defer(stop);
  return { stop };
}
