/** Lists every metric of the gate with its help text. */
const HELP = {
  latchkey_build_info: "Always 1. The labels are the versions of Latchkey and Node.js.",
  latchkey_certificate_expiry_timestamp_seconds:
    "When the certificate expires, in seconds since 1970. Without a certificate there is no sample.",
  latchkey_event_loop_delay_seconds: "Delay of the event loop, measured 50 times a second.",
  latchkey_hash_duration_seconds: "Time to compute a password hash, without the time in the queue.",
  latchkey_hashes_refused_total:
    "Password hashes refused with a 503 because too many were waiting.",
  latchkey_hashes_running: "Password hashes being computed.",
  latchkey_hashes_waiting: "Password hashes waiting in the queue.",
  latchkey_http_request_duration_seconds:
    "Time from a request's headers to the end of its response.",
  latchkey_http_requests_total:
    "Requests by route and status. Aborted: the client disconnected before the end of the response.",
  latchkey_limiter_denials_total: "Sign-ins denied by the rate limit for each address.",
  latchkey_limiter_tracked_addresses:
    "Addresses tracked by the rate limit. Above 10000 all sign-ins are denied.",
  latchkey_log_entries_dropped_total:
    "Log entries dropped because too many were waiting for the store.",
  latchkey_messages_sent_total: "Mail and webhooks that were delivered.",
  latchkey_message_failures_total: "Attempts to deliver mail or webhooks that failed.",
  latchkey_messages_waiting: "Messages of all instances that were not delivered yet.",
  latchkey_message_oldest_timestamp_seconds: "Since when the oldest of them waits; 0 if none does.",
  latchkey_log_entries_waiting: "Log entries not stored yet. Above 10000 they are dropped.",
  latchkey_log_entries_written_total: "Log entries stored.",
  latchkey_log_write_failures_total:
    "Batches of log entries that the store failed to write. They are retried.",
  latchkey_remembered_sessions: "Verified sessions in the cache of the guards.",
  latchkey_remembered_users: "Users in the cache of the guards.",
  latchkey_sign_ins_total: "Sign-ins by outcome. Rejected: unknown user or wrong password.",
  latchkey_store_failures_total: "Failed store operations.",
  latchkey_store_operation_duration_seconds: "Duration of store operations, including failed ones.",
  // These are Prometheus's standard names, so that common dashboards find them.
  process_cpu_seconds_total: "CPU time of this process, user and system.",
  process_open_fds: "Open file descriptors, where /proc is available.",
  process_resident_memory_bytes: "Resident memory of this process.",
  process_start_time_seconds: "When this process started, in seconds since 1970.",
} as const;

type MetricName = keyof typeof HELP;

type Labels = Readonly<Record<string, string>>;

type MetricType = "counter" | "gauge" | "histogram";

/** Contains what follows the metric name (a suffix such as `_sum`, and the labels), and a value. */
type Sample = readonly [series: string, value: number];

/**
 * Adds to the value with these labels, or adds one value to a histogram. All values of a metric
 * have the same label names.
 */
type Add = (value: number, labels?: Labels) => void;

export const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Creates the metrics of one gate, and formats them for each scrape. */
export class Registry {
  readonly #metrics: (() => string)[] = [];

  /** Returns the metrics in Prometheus's text format, version 0.0.4. */
  formatText(): string {
    return this.#metrics.map((write) => write()).join("");
  }

  /** @param initialLabels The labels of values that exist from the start, as 0. */
  addCounter(
    name: MetricName,
    initialLabels: readonly Labels[] = [{}],
    type: MetricType = "counter",
  ): Add {
    const members = new Map<string, { readonly series: string; value: number }>();
    this.#write(name, type, () =>
      [...members.values()].map(({ series, value }): Sample => [series, value]),
    );
    const add: Add = (value, labels = {}) => {
      const key = joinValues(labels);
      const member = members.get(key);
      if (member === undefined) members.set(key, { series: formatLabels(labels), value });
      else member.value += value;
    };
    for (const labels of initialLabels) add(0, labels);
    return add;
  }

  /** Reads a value at each scrape. A value that is missing or unreadable has no sample. */
  addGauge(name: MetricName, read: () => number | undefined, type: MetricType = "gauge"): void {
    this.#write(name, type, () => {
      try {
        const value = read();
        return value === undefined ? [] : [["", value]];
      } catch {
        return [];
      }
    });
  }

  addHistogram(
    name: MetricName,
    bounds: readonly number[],
    initialLabels: readonly Labels[] = [{}],
  ): Add {
    const limits = [...bounds, Number.POSITIVE_INFINITY];
    const members = new Map<string, HistogramMember>();
    this.#write(name, "histogram", () =>
      [...members.values()].flatMap(({ labels, counts, sum }): readonly Sample[] => [
        ...limits.map((limit, at): Sample => {
          const le = limit === Number.POSITIVE_INFINITY ? "+Inf" : String(limit);
          return [`_bucket${formatLabels({ ...labels, le })}`, counts[at] ?? 0];
        }),
        [`_sum${formatLabels(labels)}`, sum],
        [`_count${formatLabels(labels)}`, counts.at(-1) ?? 0],
      ]),
    );
    const findMember = (labels: Labels): HistogramMember => {
      const key = joinValues(labels);
      const found = members.get(key);
      if (found !== undefined) return found;
      const member = { labels, counts: limits.map(() => 0), sum: 0 };
      members.set(key, member);
      return member;
    };
    initialLabels.forEach(findMember);
    return (value, labels = {}) => {
      const member = findMember(labels);
      member.sum += value;
      for (let at = limits.length - 1; at >= 0 && value <= (limits[at] ?? 0); at -= 1) {
        member.counts[at] = (member.counts[at] ?? 0) + 1;
      }
    };
  }

  #write(name: MetricName, type: MetricType, readSamples: () => Iterable<Sample>): void {
    this.#metrics.push(() => {
      const lines = [`# HELP ${name} ${HELP[name]}`, `# TYPE ${name} ${type}`];
      for (const [series, value] of readSamples()) lines.push(`${name}${series} ${value}`);
      return `${lines.join("\n")}\n`;
    });
  }
}

interface HistogramMember {
  readonly labels: Labels;
  /** Contains, for each limit, the number of values up to that limit. */
  readonly counts: number[];
  sum: number;
}

/** Returns a key for one member of a metric. This is faster than formatting the labels. */
function joinValues(labels: Labels): string {
  let joined = "";
  for (const name in labels) joined += `${labels[name]}\0`;
  return joined;
}

function formatLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) =>
      `${name}="${value.replace(/[\\\n"]/g, (sign) => (sign === "\n" ? "\\n" : `\\${sign}`))}"`,
  );
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}
