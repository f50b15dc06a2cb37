/** The server log can be the gate's own log, a pino logger, or any other object of this shape. */
export interface ServerLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * Returns a log that drops its own failures, so that no response and no guard depends on the log.
 */
export function createSafeLog(log: ServerLog): ServerLog {
  const write = (level: keyof ServerLog) => (fields: object, message: string) => {
    // The promise covers both a logger that throws at once and a logger that rejects later, which
    // would end the process.
    new Promise((resolve) => resolve(log[level](fields, message))).catch(() => {});
  };
  return { warn: write("warn"), error: write("error") };
}
