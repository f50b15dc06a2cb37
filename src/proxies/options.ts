import type { App } from "../db/records.ts";

/**
 * Contains the options of `latchkey proxy`, which complete the gate's settings in a configuration.
 */
export interface ProxyOptions {
  /** Each entry has the form `HOST=URL`. */
  readonly apps: readonly string[];
  /** Contains all apps of the gate if the configuration is for these. */
  readonly registered?: readonly App[] | undefined;
  /** Names the gate's own host. The default is the host of `PUBLIC_URL`. */
  readonly authHost: string | undefined;
  /** Contains names separated by commas. Without `users` and `groups`, all users are admitted. */
  readonly users: string | undefined;
  readonly groups: string | undefined;
  readonly publicPaths: readonly string[];
  /** Contains a time such as `30s`. */
  readonly remember: string | undefined;
}

/** Reports options or settings that do not fit the proxy or each other. The message names flags. */
export class ProxyOptionError extends Error {}
