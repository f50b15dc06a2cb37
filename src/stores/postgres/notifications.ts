import { randomUUID } from "node:crypto";
import type pg from "pg";
import { onConnection } from "./pool.ts";

/** On a direct connection, a notification takes milliseconds. */
const WITHIN_MS = 1_000;

/** The same name for every check: a pooler may keep listening for it on a server's connection. */
const CHANNEL = "latchkey_doctor";

/**
 * Whether a connection that listens gets the notifications of another one. Those of its own would
 * prove nothing: a pooler in transaction mode returns them.
 */
export function tryNotifications(config: pg.ClientConfig): Promise<"delivered" | "lost"> {
  return onConnection(config, async (listener) => {
    const arrived = Promise.withResolvers<"delivered" | "lost">();
    const timer = setTimeout(() => arrived.resolve("lost"), WITHIN_MS);
    const sent = randomUUID();
    listener.on("notification", ({ payload }) => {
      if (payload === sent) arrived.resolve("delivered");
    });
    try {
      await listener.query(`LISTEN ${CHANNEL}`);
      await onConnection(config, (sender) =>
        sender.query("SELECT pg_catalog.pg_notify($1, $2)", [CHANNEL, sent]),
      );
      return await arrived.promise;
    } finally {
      clearTimeout(timer);
    }
  });
}
