import { messageOf } from "../core/fault.ts";
import type { ServerLog } from "../core/server-log.ts";
import type { Store } from "../core/store.ts";
import type { Responses } from "./responses.ts";

export interface HealthPorts {
  readonly store: Pick<Store, "hasUsers">;
  readonly responses: Responses;
  readonly log: ServerLog;
}

/** Alive: whoever can say so is. */
export const alive = ({ responses }: Pick<HealthPorts, "responses">): Response =>
  responses.text("alive", 200);

/** Ready: the store answers now; what is remembered of it does not count. */
export async function ready({ store, responses, log }: HealthPorts): Promise<Response> {
  try {
    await store.hasUsers();
    return responses.text("ready", 200);
  } catch (error) {
    log.warn({ reason: messageOf(error) }, "not ready: the store does not answer");
    return responses.text("the store does not answer", 503);
  }
}
