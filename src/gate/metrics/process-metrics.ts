import { readdirSync } from "node:fs";
import { counted, gauge, histogram } from "./instruments.ts";
import type { Metric } from "./text-format.ts";

/** Under the names that every program gives them, so that dashboards for all programs find them. */
export function processMetrics(): readonly Metric[] {
  return [
    counted("process_cpu_seconds_total", "CPU time of this process, user and system.", () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    }),
    gauge("process_resident_memory_bytes", "Memory of this process that is in RAM.", () =>
      process.memoryUsage.rss(),
    ),
    gauge(
      "process_start_time_seconds",
      "When this process started, in seconds since 1970.",
      () => performance.timeOrigin / 1e3,
    ),
    gauge(
      "process_open_fds",
      "Open file descriptors, where the system tells.",
      // The one that reads the folder is in it.
      () => readdirSync("/proc/self/fd").length - 1,
    ),
  ];
}

const LOOK_EVERY_MS = 20;
const DELAY_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

export interface EventLoopWatch {
  readonly metric: Metric;
  stop(): void;
}

/**
 * How late timers are: what every request waits besides. Not by Node's own monitor, which keeps one
 * distribution since the start, and loses the pause under way when it is told to begin anew.
 */
export function watchEventLoop(seconds: () => number): EventLoopWatch {
  const delays = histogram(
    "latchkey_event_loop_delay_seconds",
    "How late the event loop is, looked at fifty times a second.",
    DELAY_SECONDS,
  );
  const delay = delays.of({});
  let last = seconds();
  const looking = setInterval(() => {
    const now = seconds();
    delay.observe(Math.max(0, now - last - LOOK_EVERY_MS / 1e3));
    last = now;
  }, LOOK_EVERY_MS).unref();
  return { metric: delays, stop: () => clearInterval(looking) };
}
