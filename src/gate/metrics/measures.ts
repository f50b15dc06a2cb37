import { readdirSync } from "node:fs";
import { deliveryKinds } from "../../db/records.ts";
import type { Store } from "../../db/store.ts";
import type { SignInOutcome } from "../../features/sign-in/sign-in.ts";
import { removeQuery } from "../../http/paths.ts";
import type { Meter } from "../../lib/meter.ts";
import { type Handler, wasSent } from "../create-handler.ts";
import type { Registry } from "./registry.ts";

const HASH_SECONDS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

/**
 * The outcomes are listed so that each starts at 0. Otherwise alerts would miss the first increase.
 */
const outcomes: Readonly<Record<SignInOutcome["kind"], true>> = {
  "needs-setup": true,
  "rate-limited": true,
  rejected: true,
  "signed-in": true,
};

/** Creates the metrics of sign-ins, hashes and log entries. `seconds` is a monotonic clock. */
export function createMeter(registry: Registry, seconds: () => number): Meter {
  const signIns = registry.addCounter(
    "latchkey_sign_ins_total",
    Object.keys(outcomes).map((outcome) => ({ outcome })),
  );
  const denials = registry.addCounter("latchkey_limiter_denials_total");
  let [running, waiting] = [0, 0];
  registry.addGauge("latchkey_hashes_running", () => running);
  registry.addGauge("latchkey_hashes_waiting", () => waiting);
  const refused = registry.addCounter("latchkey_hashes_refused_total");
  const hashTime = registry.addHistogram("latchkey_hash_duration_seconds", HASH_SECONDS);
  const written = registry.addCounter("latchkey_log_entries_written_total");
  const dropped = registry.addCounter("latchkey_log_entries_dropped_total");
  const failed = registry.addCounter("latchkey_log_write_failures_total");
  const messages = registry.addCounter(
    "latchkey_messages_sent_total",
    deliveryKinds.map((kind) => ({ kind })),
  );
  const failedMessages = registry.addCounter(
    "latchkey_message_failures_total",
    deliveryKinds.map((kind) => ({ kind })),
  );
  let waitingMessages = 0;
  let oldestMessage: Date | undefined;
  registry.addGauge("latchkey_messages_waiting", () => waitingMessages);
  registry.addGauge("latchkey_message_oldest_timestamp_seconds", () =>
    oldestMessage === undefined ? 0 : oldestMessage.getTime() / 1_000,
  );
  return {
    watch(levels) {
      registry.addGauge("latchkey_limiter_tracked_addresses", levels.countTrackedAddresses);
      registry.addGauge("latchkey_log_entries_waiting", levels.countWaitingEntries);
      registry.addGauge("latchkey_remembered_sessions", levels.countRememberedSessions);
      registry.addGauge("latchkey_remembered_users", levels.countRememberedUsers);
    },
    countSignIn(outcome) {
      signIns(1, { outcome });
      if (outcome === "rate-limited") denials(1);
    },
    hashes: {
      startWaiting() {
        waiting += 1;
        return () => {
          waiting -= 1;
        };
      },
      startRunning() {
        running += 1;
        const start = seconds();
        return () => {
          running -= 1;
          hashTime(seconds() - start);
        };
      },
      countRefused: () => refused(1),
    },
    entries: {
      countWritten: written,
      countDropped: () => dropped(1),
      countFailed: () => failed(1),
    },
    outbox: {
      countSent: (kind) => messages(1, { kind }),
      countFailed: (kind) => failedMessages(1, { kind }),
      watchWaiting(count, oldest) {
        waitingMessages = count;
        oldestMessage = oldest;
      },
    },
  };
}

const REQUEST_SECONDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
];
const METHODS: readonly string[] = ["GET", "HEAD", "POST"];

/**
 * Returns a wrapper that counts the requests of a handler. Labels come from fixed lists, and all
 * other values become `other`, so that clients cannot create series with new paths or methods.
 */
export function createRequestCounter(
  registry: Registry,
  seconds: () => number,
): (handle: Handler, paths: ReadonlySet<string>) => Handler {
  const requests = registry.addCounter("latchkey_http_requests_total", []);
  const durations = registry.addHistogram(
    "latchkey_http_request_duration_seconds",
    REQUEST_SECONDS,
    [],
  );
  return (handle, paths) => (incoming, outgoing) => {
    const start = seconds();
    outgoing.once("close", () => {
      const path = removeQuery(incoming.url ?? "");
      const route = paths.has(path) ? path : "other";
      const method = METHODS.find((listed) => listed === incoming.method) ?? "other";
      const code = wasSent(outgoing) ? String(outgoing.statusCode) : "aborted";
      durations(seconds() - start, { route, method });
      requests(1, { route, method, code });
    });
    handle(incoming, outgoing);
  };
}

const STORE_SECONDS = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 2];

/** Returns a function that times all later operations of a store. */
export function createStoreTimer(
  registry: Registry,
): (store: Pick<Store, "operations" | "observe">) => void {
  const durations = registry.addHistogram(
    "latchkey_store_operation_duration_seconds",
    STORE_SECONDS,
    [],
  );
  const failures = registry.addCounter("latchkey_store_failures_total", []);
  return (store) => {
    // The counter starts at 0, so that the first failure is an increase.
    for (const operation of store.operations) failures(0, { operation });
    store.observe({
      answered: (operation, seconds) => durations(seconds, { operation }),
      failed(operation, seconds) {
        durations(seconds, { operation });
        failures(1, { operation });
      },
    });
  };
}

export function addProcessMetrics(registry: Registry): void {
  registry.addGauge(
    "process_cpu_seconds_total",
    () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
    "counter",
  );
  registry.addGauge("process_resident_memory_bytes", () => process.memoryUsage.rss());
  registry.addGauge("process_start_time_seconds", () => performance.timeOrigin / 1e3);
  registry.addGauge(
    "process_open_fds",
    // Reading the folder opens one descriptor itself, which is subtracted here.
    () => readdirSync("/proc/self/fd").length - 1,
  );
}

const SAMPLE_INTERVAL_MS = 20;
const DELAY_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/**
 * Measures how late timers run, which also delays every request. Clear the returned timer to stop.
 * Node's own monitor keeps one distribution since the start, and a reset loses the current delay.
 */
export function watchEventLoop(registry: Registry, seconds: () => number): NodeJS.Timeout {
  const delay = registry.addHistogram("latchkey_event_loop_delay_seconds", DELAY_SECONDS);
  let last = seconds();
  return setInterval(() => {
    const current = seconds();
    delay(Math.max(0, current - last - SAMPLE_INTERVAL_MS / 1e3));
    last = current;
  }, SAMPLE_INTERVAL_MS).unref();
}
