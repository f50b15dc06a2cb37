/** The server log: the gate's own, a pino logger, or any other of this shape. */
export interface ServerLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
