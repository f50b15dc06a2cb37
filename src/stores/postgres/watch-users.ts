import { randomUUID } from "node:crypto";
import type pg from "pg";
import { pause } from "../../core/base/pause.ts";
import type { UserId } from "../../core/records.ts";
import type { UserWatch, UserWatching } from "../../core/store.ts";
import { type PostgresClient, type PostgresPool, withClient } from "./query.ts";

const CHANGES = "latchkey_users";

/** Well below the second for which guards use a user without confirmation from here. */
const PING_EVERY_MS = 400;
const PING_WITHIN_MS = 1_000;
/** Pings stop when `confirmedAt` has not been called for so long. */
const IDLE_AFTER_MS = 2_000;
const RECONNECT_AFTER_MS = 250;

const ask = (client: PostgresClient, text: string, values: unknown[] = []): Promise<unknown> =>
  client.query({ text, values, query_timeout: PING_WITHIN_MS });

/**
 * Listens for the notifications that the database sends for every changed user. Pings itself through
 * the database: a ping that returns proves that everything committed before it has arrived. A pooler
 * that drops notifications, a broken connection or a silent network means no confirmation.
 *
 * Pings leave on another connection, and the one that listens sends nothing else: a pooler in
 * transaction mode would return its own pings, but give the notifications to any other client.
 */
export function watchUsers(pool: PostgresPool, { monotonic, changed }: UserWatching): UserWatch {
  const ownChannel = `latchkey_${randomUUID().replaceAll("-", "")}`;
  const closing = new AbortController();
  let confirmedAt = Number.NEGATIVE_INFINITY;
  let askedAt = Number.NEGATIVE_INFINITY;

  async function listen(client: PostgresClient, lost: AbortSignal): Promise<void> {
    const sentAt = new Map<string, number>();
    client.on("notification", ({ channel, payload = "" }: pg.Notification) => {
      if (channel === CHANGES) changed(payload === "all" ? "all" : (payload as UserId));
      if (channel !== ownChannel) return;
      confirmedAt = Math.max(confirmedAt, sentAt.get(payload) ?? confirmedAt);
      sentAt.clear();
    });
    await ask(client, `LISTEN ${CHANGES}`);
    await ask(client, `LISTEN ${ownChannel}`);
    changed("all");
    for (let count = 0; !lost.aborted && !closing.signal.aborted; count += 1) {
      const [oldest = monotonic()] = sentAt.values();
      if (monotonic() - oldest > PING_WITHIN_MS) throw new Error("pings do not return");
      if (monotonic() - askedAt < IDLE_AFTER_MS) await ping(String(count), sentAt);
      await pause(PING_EVERY_MS, closing.signal);
    }
  }

  /** A ping that cannot be sent, because the pool is full for example, says nothing about delivery. */
  async function ping(payload: string, sentAt: Map<string, number>): Promise<void> {
    sentAt.set(payload, monotonic());
    const text = "SELECT pg_catalog.pg_notify($1, $2)";
    const send = (client: PostgresClient) => ask(client, text, [ownChannel, payload]);
    await withClient(pool, send).catch(() => sentAt.delete(payload));
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

  async function listenUntilClosed(): Promise<void> {
    while (!closing.signal.aborted) {
      // No log line here: lookups fail for the same reason and report it.
      await listenOnce().catch(() => {});
      await pause(RECONNECT_AFTER_MS, closing.signal);
    }
  }

  const listening = listenUntilClosed();
  return {
    confirmedAt() {
      askedAt = monotonic();
      return confirmedAt;
    },
    async close() {
      closing.abort();
      await listening;
    },
  };
}
