import type { EventType } from "../../../src/audit/events.ts";
import type { LogEntry } from "../../../src/db/records.ts";
import type { Client } from "../../../src/lib/client.ts";
import type { Life } from "../gate.ts";
import { promise } from "./violation.ts";

/** Which entries the audit log must have: one for each change that a gate has accepted. */
export interface LogModel {
  accepted(type: EventType, at: { readonly life: Life; readonly client: Client }): void;
  /**
   * Each client does one thing after another, so its entries of one gate are in its order. A gate
   * that has crashed loses the entries that waited.
   *
   * @param entries In the order of the log.
   */
  compare(entries: readonly LogEntry[], lives: readonly Life[]): void;
}

export function createLogModel(): LogModel {
  const accepted = new Map<Life, Map<string, EventType[]>>();

  return {
    accepted(type, { life, client: { userAgent = "" } }) {
      const byClient = accepted.get(life) ?? new Map<string, EventType[]>();
      accepted.set(life, byClient);
      byClient.set(userAgent, [...(byClient.get(userAgent) ?? []), type]);
    },

    compare(entries, lives) {
      const all = lives.flatMap((life) => [...(accepted.get(life) ?? [])]);
      for (const [client, types] of all) {
        const own = entries.filter(({ device }) => device === client);
        let at = -1;
        for (const type of types) {
          at = own.findIndex((entry, index) => index > at && entry.type === type);
          promise(at >= 0, `the log has no ${type} of ${client} at its place`);
        }
      }
    },
  };
}
