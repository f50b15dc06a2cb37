import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { UserId, UserWatch, UserWatching } from "../../core/store.ts";
import type { PostgresClient, PostgresPool } from "./query.ts";

const CHANGES = "latchkey_users";

/** Well below the second for which a user may be remembered without word from here. */
const PING_EVERY_MS = 400;
const PING_WITHIN_MS = 1_000;
/** How long nobody has to ask before the pings stop. */
const IDLE_AFTER_MS = 2_000;
const RECONNECT_AFTER_MS = 250;
/** Pings that never came back are not kept for ever. */
const MOST_UNDER_WAY = 10;

interface Notification {
  readonly channel: string;
  readonly payload?: string;
}

/**
 * Listens for the notifications that the database sends for every changed user. That the line is
 * alive is not taken on trust: a notification of its own, sent round through the database, proves
 * that everything committed before it has arrived. A pooler that swallows notifications, a broken
 * connection and a silent network all look the same: no proof.
 */
export function watchUsers(pool: PostgresPool, { now, changed }: UserWatching): UserWatch {
  const own = `latchkey_${randomUUID().replaceAll("-", "")}`;
  const closing = new AbortController();
  let confirmedAt = Number.NEGATIVE_INFINITY;
  let askedAt = Number.NEGATIVE_INFINITY;

  const pause = (ms: number): Promise<unknown> =>
    sleep(ms, undefined, { ref: false, signal: closing.signal }).catch(() => {});

  async function listen(client: PostgresClient, lost: AbortSignal): Promise<void> {
    const sentAt = new Map<string, number>();
    client.on("notification", ({ channel, payload = "" }: Notification) => {
      if (channel === CHANGES) changed(payload === "all" ? "all" : (payload as UserId));
      else confirmedAt = Math.max(confirmedAt, sentAt.get(payload) ?? confirmedAt);
      sentAt.delete(payload);
    });
    await client.query({ text: `LISTEN ${CHANGES}`, query_timeout: PING_WITHIN_MS });
    await client.query({ text: `LISTEN ${own}`, query_timeout: PING_WITHIN_MS });
    changed("all");
    for (let count = 0; !lost.aborted && !closing.signal.aborted; count += 1) {
      if (now() - askedAt < IDLE_AFTER_MS) {
        if (sentAt.size > MOST_UNDER_WAY) sentAt.clear();
        sentAt.set(String(count), now());
        const values = [own, String(count)];
        await client.query({
          text: "SELECT pg_catalog.pg_notify($1, $2)",
          values,
          query_timeout: PING_WITHIN_MS,
        });
      }
      await pause(PING_EVERY_MS);
    }
  }

  async function listenOnce(): Promise<void> {
    const client = await pool.connect();
    const lost = new AbortController();
    client.on("error", () => lost.abort());
    client.on("end", () => lost.abort());
    try {
      await listen(client, lost.signal);
    } finally {
      client.release(true);
    }
  }

  async function goOn(): Promise<void> {
    while (!closing.signal.aborted) {
      // While it is down, lookups tell what is wrong: they run into the same.
      await listenOnce().catch(() => {});
      await pause(RECONNECT_AFTER_MS);
    }
  }

  const over = goOn();
  return {
    confirmedAt() {
      askedAt = now();
      return confirmedAt;
    },
    async close() {
      closing.abort();
      await over;
    },
  };
}
