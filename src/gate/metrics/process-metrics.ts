import { readdirSync } from "node:fs";
import type { Registry } from "./registry.ts";

/** Uses Prometheus's standard names, so that common dashboards find them. */
export function addProcessMetrics(registry: Registry): void {
  registry.gauge(
    "process_cpu_seconds_total",
    "CPU time of this process, user and system.",
    () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
    "counter",
  );
  registry.gauge("process_resident_memory_bytes", "Resident memory of this process.", () =>
    process.memoryUsage.rss(),
  );
  registry.gauge(
    "process_start_time_seconds",
    "When this process started, in seconds since 1970.",
    () => performance.timeOrigin / 1e3,
  );
  registry.gauge(
    "process_open_fds",
    "Open file descriptors, where /proc is available.",
    // Minus one: reading the folder opens a descriptor itself.
    () => readdirSync("/proc/self/fd").length - 1,
  );
}

const SAMPLE_INTERVAL_MS = 20;
const DELAY_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/**
 * Measures how late timers run, which delays every request as well, until the returned timer is
 * cleared. Does not use Node's monitor: it keeps one distribution since the start, and a reset loses
 * the delay in progress.
 */
export function watchEventLoop(registry: Registry, seconds: () => number): NodeJS.Timeout {
  const delay = registry.histogram(
    "latchkey_event_loop_delay_seconds",
    "Delay of the event loop, measured 50 times a second.",
    DELAY_SECONDS,
  );
  let last = seconds();
  return setInterval(() => {
    const current = seconds();
    delay(Math.max(0, current - last - SAMPLE_INTERVAL_MS / 1e3));
    last = current;
  }, SAMPLE_INTERVAL_MS).unref();
}
