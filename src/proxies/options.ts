/** What a configuration is for, besides the gate's settings: the options of `latchkey proxy`. */
export interface ProxyOptions {
  /** Each is `HOST=URL`. */
  readonly apps: readonly string[];
  /** The gate's own host; by default that of `PUBLIC_URL`. */
  readonly authHost: string | undefined;
  /** Names with commas between them. All users are admitted without either list. */
  readonly users: string | undefined;
  readonly groups: string | undefined;
  readonly publicPaths: readonly string[];
  /** For example `30s`. */
  readonly remember: string | undefined;
}

/** Thrown if options or settings do not fit the proxy or each other. The message names flags. */
export class ProxyOptionError extends Error {}
