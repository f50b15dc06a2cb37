/** Where faults and warnings go: a pino logger fits, and so does any other of this shape. */
export interface ServerLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
