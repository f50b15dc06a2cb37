import type { EventListener } from "./audit/event-listener.ts";
import type { Store } from "./db/store.ts";
import type { SetupTokenSource } from "./features/setup/setup-token.ts";
import type { PostLoginLocation } from "./http/location.ts";
import type { AllowedHosts } from "./lib/allowed-hosts.ts";
import type { BoundedLog } from "./lib/bounded-log.ts";
import { type Meter, noMeter } from "./lib/meter.ts";
import type { ServerLog } from "./lib/server-log.ts";
import type { WorkQueueLimits } from "./lib/work-queue.ts";
import type { PageFunctions } from "./pages/page-data.ts";
import type { Locale } from "./pages/words.ts";

/** The options of `createAuth`. Only `store` and `secret` are required. */
export interface AuthOptions {
  /** Stores accounts and log entries. The caller closes it, after the Auth object. */
  readonly store: Store;
  /**
   * Signs the session tokens: 32 random characters or more, the same on every instance. `undefined`
   * or empty uses the built-in development secret with a warning; in production `createAuth` throws.
   */
  readonly secret: string | undefined;
  /** Older secrets, whose sessions stay valid while a new secret is introduced. Default: none. */
  readonly previousSecrets?: readonly string[];
  /** Prefix of every path that Latchkey serves, such as `/auth`. Default: none. */
  readonly basePath?: string;
  /** The path of the page with the password form, `null` for none. Default: the base path, or `/`. */
  readonly homePath?: string | null | undefined;
  /** Where setup and sign-in redirect: a path, an absolute URL, or a function. Default: `/`. */
  readonly postLoginLocation?: PostLoginLocation;
  /** The one-time token that setup requires. Default: none; the first client to reach setup wins. */
  readonly setupToken?: SetupTokenSource;
  /**
   * Called in the background, after the first account is made, with the domain from the setup form,
   * which has the field only with this option. A failure is only logged. Default: none.
   *
   * The domain is any text with a dot and without spaces, `/`, `\\` and `@`: check it before use.
   */
  readonly setUpDomain?: ((domain: string) => Promise<void>) | undefined;
  /**
   * Receives warnings, errors and refused requests with their address: at most ten lines a minute of
   * each address and each message, then a sum. Default: the console.
   */
  readonly log?: ServerLog;
  /** Called after each entry of the audit log, for notifications. Never delays or changes an answer. */
  readonly onEvent?: EventListener | undefined;
  /**
   * Serves pages on which members of the group `admins` manage accounts, below `/account/people`.
   * Default: false.
   */
  readonly people?: boolean;
  /** The addresses of Latchkey, and of what it trusts. */
  readonly hosts?: {
    /**
     * The host names that requests for Latchkey's paths may use, without ports; others get 421.
     * `loopback-setup`, for an app that listens on loopback, restricts only the setup, and only while
     * there is no account, to loopback names, `publicUrl` and `cookieDomain`. Default: `["*"]`, any.
     */
    readonly allowed?: AllowedHosts;
    /** The origin that browsers use to reach Latchkey, such as `https://auth.example.org`. */
    readonly publicUrl?: string | undefined;
    /** Shares the session with every host at or below this domain. Default: this host only. */
    readonly cookieDomain?: string | undefined;
    /** Other origins whose pages may post the sign-out, such as `https://app.example.org`. */
    readonly trustedOrigins?: readonly string[];
    /** Addresses or ranges of proxies whose `X-Forwarded-For` is trusted. Default: none. */
    readonly trustedProxies?: readonly string[];
  };
  /** What guards answer to requests without a session. */
  readonly guards?: {
    /** Guards redirect to the sign-in so that it returns to the requested page. Default: false. */
    readonly returnTo?: boolean;
    /**
     * `negotiate` answers requests that do not ask for a page, such as those of scripts, with 401 and
     * JSON; `redirect` redirects all of them to the sign-in. Default: `redirect`.
     */
    readonly onDenied?: "redirect" | "negotiate";
    /**
     * Guards also admit programs with a key, as a Bearer token or as the password of Basic. Default:
     * false.
     */
    readonly keys?: boolean;
  };
  /** How users sign in, and the limits of that. */
  readonly signIn?: {
    /** Offers passkeys. Default: true. */
    readonly passkeys?: boolean;
    /**
     * Offers one-time codes (TOTP) on the home page. Default: true. With
     * `false`, accounts that use codes already still need one to sign in.
     */
    readonly codes?: boolean;
    /**
     * Offers to ask for no code on this device for 30 days. Default: true.
     * With `false`, devices that are remembered already need a code.
     */
    readonly rememberDevice?: boolean;
    /** `shared` counts sign-in attempts in the store, for all instances together. Default: `own`. */
    readonly limiter?: "own" | "shared";
    /**
     * Sign-in attempts from one IPv6 network of this prefix length count together, from 32 to 128.
     * Default: 128, each address by itself. On the public internet 64 is better: one client has
     * a whole /64.
     */
    readonly limitIpv6Prefix?: number;
    /**
     * Limits for password hashing. Default: one at a time for each core, at most three; 128 waiting.
     * One user, IPv4 address or IPv6 /64 gets an eighth of the waiting places, at least one.
     */
    readonly hashing?: WorkQueueLimits;
  };
  /** The sessions of users. */
  readonly sessions?: {
    /**
     * Records sessions, so that users can see and end their own.
     * Default: true.
     */
    readonly list?: boolean;
    /** In seconds, from the sign-in; using a session does not extend it. Default: 30 days. */
    readonly lifetime?: number;
  };
  /** The look of the pages. */
  readonly pages?: {
    /** The name of the app on all pages. Default: `Latchkey`. */
    readonly appName?: string;
    /** The colour of buttons, such as `#1a5fb4`, and of links, adjusted for contrast. */
    readonly accentColor?: string | undefined;
    /** An image above the heading of each page. Default: a key. */
    readonly logoFile?: string | undefined;
    /** The image in its place where the browser prefers a dark scheme. */
    readonly logoFileDark?: string | undefined;
    /** The language of all pages. Default: the available language that the browser prefers. */
    readonly locale?: Locale | undefined;
    /** CSS that every page loads after Latchkey's own style sheet: at most 64 KiB. Default: none. */
    readonly css?: string | undefined;
  } & PageFunctions;
}

/** The options that contain others. */
export type OptionGroups = Pick<
  Required<AuthOptions>,
  "hosts" | "guards" | "signIn" | "sessions" | "pages"
>;

/** The options after `settleOptions`: complete, checked, copied and frozen. */
export interface SettledOptions
  extends Required<Omit<AuthOptions, keyof OptionGroups>>,
    Readonly<{ [G in keyof OptionGroups]: Required<OptionGroups[G]> }> {
  readonly secret: string;
  /** Bounds `log` of the options, which nothing else writes to. */
  readonly log: BoundedLog;
}

/** What the gate adds to the options. An app has a site, health checks and metrics of its own. */
export interface GateOptions {
  /** Serves `/healthz`, `/readyz`, `/forward-auth` and the files of a site such as `/robots.txt`. */
  readonly standalone: boolean;
  /** Other domains, whose hosts get their sessions from this sign-in. */
  readonly returnDomains: readonly string[];
  readonly meter: Meter;
  /** The groups of which a second factor is required, or `all`. */
  readonly requireSecondFactor: readonly string[];
  /** Whether positive answers of `/forward-auth` have a signed assertion for the app. */
  readonly assertions: "on" | "off";
}

export const NO_GATE: GateOptions = {
  standalone: false,
  meter: noMeter,
  returnDomains: [],
  requireSecondFactor: [],
  assertions: "off",
};
