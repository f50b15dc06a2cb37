/** The server log: a pino logger, or any logger of this shape. */
export interface ServerLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
