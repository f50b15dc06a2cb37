import type { Meter } from "../../core/base/meter.ts";
import type { SignInOutcome } from "../../core/sign-in/sign-in.ts";
import type { Registry } from "./registry.ts";

const HASH_SECONDS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

/** Listed so that each starts at zero: otherwise alerts would miss the first increase. */
const outcomes: Readonly<Record<SignInOutcome["kind"], true>> = {
  "needs-setup": true,
  "rate-limited": true,
  rejected: true,
  "signed-in": true,
};

/** Creates the metrics of sign-ins, hashes and log entries. `seconds` is a monotonic clock. */
export function createMeter(registry: Registry, seconds: () => number): Meter {
  const signIns = registry.counter(
    "latchkey_sign_ins_total",
    "Sign-ins by outcome. Rejected: unknown user or wrong password.",
  );
  for (const outcome of Object.keys(outcomes)) signIns({ outcome });
  const denials = registry.counter(
    "latchkey_limiter_denials_total",
    "Sign-ins denied by the rate limit for each address.",
  )({});
  const runs = registry.level("latchkey_hashes_running", "Password hashes being computed.");
  const waits = registry.level("latchkey_hashes_waiting", "Password hashes waiting in the queue.");
  const refused = registry.counter(
    "latchkey_hashes_refused_total",
    "Password hashes refused with a 503 because too many were waiting.",
  )({});
  const hashTime = registry.histogram(
    "latchkey_hash_duration_seconds",
    "Time to compute a password hash, without the time in the queue.",
    HASH_SECONDS,
  )({});
  const written = registry.counter("latchkey_log_entries_written_total", "Log entries stored.")({});
  const dropped = registry.counter(
    "latchkey_log_entries_dropped_total",
    "Log entries dropped because too many were waiting for the store.",
  )({});
  const failed = registry.counter(
    "latchkey_log_write_failures_total",
    "Batches of log entries that the store failed to write. They are retried.",
  )({});
  return {
    watch(levels) {
      registry.gauge(
        "latchkey_limiter_tracked_addresses",
        "Addresses tracked by the rate limit. Above 10000 all sign-ins are denied.",
        levels.trackedAddresses,
      );
      registry.gauge(
        "latchkey_log_entries_waiting",
        "Log entries not stored yet. Above 10000 they are dropped.",
        levels.waitingEntries,
      );
      registry.gauge(
        "latchkey_remembered_sessions",
        "Verified sessions in the cache of the guards.",
        levels.rememberedSessions,
      );
      registry.gauge(
        "latchkey_remembered_users",
        "Users in the cache of the guards.",
        levels.rememberedUsers,
      );
    },
    signInDecided(outcome) {
      signIns({ outcome }).add(1);
      if (outcome === "rate-limited") denials.add(1);
    },
    hashes: {
      waits,
      runs() {
        const end = runs();
        const start = seconds();
        return () => {
          end();
          hashTime.add(seconds() - start);
        };
      },
      refused: () => refused.add(1),
    },
    entries: {
      written: (count) => written.add(count),
      dropped: () => dropped.add(1),
      failed: () => failed.add(1),
    },
  };
}
