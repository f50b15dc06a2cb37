import type { Context } from "hono";
import type { ServerLog } from "../../core/server-log.ts";
import { clientOf, type ProxyTrust } from "./remote-address.ts";
import type { RequestIds } from "./request-id.ts";
import { markOf } from "./visit.ts";

/** What is refused to somebody, as the server log is told of it. */
export type Refusal =
  | "sign-in rejected"
  | "sign-in rate-limited"
  | "password change rejected"
  | "setup rejected"
  | "form of another site refused";

/** Notes what was refused, and to which address. Never what was typed: people mistake the field. */
export type NoteRefusal = (c: Context, refusal: Refusal) => void;

export interface RefusalPorts {
  /** Whether the server log is told, for programs that shut addresses out. */
  readonly logFailures: boolean;
  readonly log: ServerLog;
  readonly requests: Pick<RequestIds, "hush">;
  readonly proxies: ProxyTrust;
}

export function createNoteRefusal(ports: RefusalPorts): NoteRefusal {
  const { logFailures, log, requests, proxies } = ports;
  return (c, refusal) => {
    // Something may be said of the one user, and nothing of the other: an ID in the answer would tell.
    requests.hush(markOf(c));
    if (!logFailures) return;
    log.warn({ address: clientOf(c, proxies).remoteAddress }, refusal);
  };
}
