/** The server log: the gate's own, a pino logger, or any other of this shape. */
export interface ServerLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The log, whose own failures are dropped: no response and no guard depends on it. */
export function createSafeLog(log: ServerLog): ServerLog {
  const write = (level: keyof ServerLog) => (fields: object, message: string) => {
    // Covers what is thrown at once and what a logger rejects later, which would end the process.
    new Promise((resolve) => resolve(log[level](fields, message))).catch(() => {});
  };
  return { warn: write("warn"), error: write("error") };
}
