import type { Levels, Meter } from "../../core/meter.ts";
import type { SignInOutcome } from "../../core/sign-in.ts";
import { counter, gauge, histogram, level } from "./instruments.ts";
import type { Metric } from "./text-format.ts";

const HASH_SECONDS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

/** Listed so that each starts at zero: otherwise alerts would miss the first increase. */
const outcomes: Readonly<Record<SignInOutcome["kind"], true>> = {
  "needs-setup": true,
  "rate-limited": true,
  rejected: true,
  "signed-in": true,
};

export interface Measures {
  readonly meter: Meter;
  readonly metrics: readonly Metric[];
}

/** Creates the metrics of sign-ins, hashes and log entries. `seconds` is a monotonic clock. */
export function createMeasures(seconds: () => number): Measures {
  const signIns = counter(
    "latchkey_sign_ins_total",
    "Sign-ins by outcome. Rejected: unknown user or wrong password.",
  );
  const denials = counter(
    "latchkey_limiter_denials_total",
    "Sign-ins denied by the rate limit for each address.",
  );
  const running = level("latchkey_hashes_running", "Password hashes being computed.");
  const waiting = level("latchkey_hashes_waiting", "Password hashes waiting in the queue.");
  const refused = counter(
    "latchkey_hashes_refused_total",
    "Password hashes refused with a 503 because too many were waiting.",
  );
  const hashTime = histogram(
    "latchkey_hash_duration_seconds",
    "Time to compute a password hash, without the time in the queue.",
    HASH_SECONDS,
  );
  const written = counter("latchkey_log_entries_written_total", "Log entries stored.");
  const dropped = counter(
    "latchkey_log_entries_dropped_total",
    "Log entries dropped because too many were waiting for the store.",
  );
  const failed = counter(
    "latchkey_log_write_failures_total",
    "Batches of log entries that the store failed to write. They are retried.",
  );

  const outcome = (kind: string) => signIns.of({ outcome: kind });
  for (const kind of Object.keys(outcomes)) outcome(kind);
  const [denial, refusal, hashing] = [denials.of({}), refused.of({}), hashTime.of({})];
  const [entriesWritten, entriesDropped, entriesFailed] = [written, dropped, failed].map((one) =>
    one.of({}),
  );
  const levels = createLevels();

  const meter: Meter = {
    watch: levels.watch,
    signInDecided(kind) {
      outcome(kind).add(1);
      if (kind === "rate-limited") denial.add(1);
    },
    hashes: {
      waits: waiting.begin,
      runs() {
        const end = running.begin();
        const start = seconds();
        return () => {
          end();
          hashing.observe(seconds() - start);
        };
      },
      refused: () => refusal.add(1),
    },
    entries: {
      written: (count) => entriesWritten?.add(count),
      dropped: () => entriesDropped?.add(1),
      failed: () => entriesFailed?.add(1),
    },
  };
  const rules = [signIns, denials, running, waiting, refused, hashTime, written, dropped, failed];
  return { meter, metrics: [...rules, ...levels.metrics] };
}

function createLevels(): { readonly metrics: readonly Metric[]; watch(levels: Levels): void } {
  let watched: Levels | undefined;
  return {
    watch: (levels) => {
      watched = levels;
    },
    metrics: [
      gauge(
        "latchkey_limiter_tracked_addresses",
        "Addresses tracked by the rate limit. Above 10000 all sign-ins are denied.",
        () => watched?.trackedAddresses(),
      ),
      gauge(
        "latchkey_log_entries_waiting",
        "Log entries not stored yet. Above 10000 they are dropped.",
        () => watched?.waitingEntries(),
      ),
      gauge("latchkey_remembered_sessions", "Verified sessions in the cache of the guards.", () =>
        watched?.rememberedSessions(),
      ),
      gauge("latchkey_remembered_users", "Users in the cache of the guards.", () =>
        watched?.rememberedUsers(),
      ),
    ],
  };
}
