import { type App, type IconScheme, toIconId, type User } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import { admitsUser } from "../../identity/admits-user.ts";
import type { Factors } from "../../identity/session-token.ts";
import type { Clock } from "../../lib/clock.ts";
import { parseHostName } from "../../lib/host-name.ts";
import type { MaybePromise } from "../../lib/maybe-promise.ts";

/** A change by another process counts after this time at the latest. */
const MAX_AGE_MS = 1_000;

/** Knows all apps, at most a second old. */
export interface AppDirectory {
  /**
   * Returns all apps without a promise if they were read within the last second: every request to a
   * guarded app asks.
   */
  read(): MaybePromise<Apps>;
  /** Must be called after each change of an app by this process, also if the change failed. */
  readonly forget: () => void;
}

export interface Apps {
  readonly all: readonly App[];
  /** Returns whether the app has an icon for light or dark pages. */
  hasIcon(id: string, scheme: IconScheme): boolean;
  find(id: string): App | undefined;
  /** Finds the app by the host of its URL. The host has no port. */
  findByHost(host: string): App | undefined;
  /** Lists the apps whose URL has the host. Several apps can be at paths of one host. */
  listByHost(host: string): readonly App[];
  /** True if any app has a URL. */
  readonly anyHasHost: boolean;
}

/** Creates a directory that reads the store at most once a second, and only if somebody asks. */
export function createAppDirectory(
  store: Pick<StoreParts["apps"], "list" | "listIconIds">,
  clock: Pick<Clock, "monotonic">,
): AppDirectory {
  let known: { readonly until: number; readonly apps: Apps } | undefined;
  let reading: { readonly startedAt: number; readonly apps: Promise<Apps> } | undefined;
  let changes = 0;

  async function readAgain(startedAt: number): Promise<Apps> {
    const before = changes;
    const all = await store.list();
    const apps = indexApps(all, all.length === 0 ? [] : await store.listIconIds());
    const until = startedAt + MAX_AGE_MS;
    // A slow read that began earlier must not replace the result of a later one.
    if (before === changes && (known === undefined || known.until <= until)) {
      known = { until, apps };
    }
    return apps;
  }

  return {
    read() {
      const now = clock.monotonic();
      if (known !== undefined && now < known.until) return known.apps;
      // A slow read that began earlier may not contain a change of the last second.
      if (reading !== undefined && now < reading.startedAt + MAX_AGE_MS) return reading.apps;
      const apps = readAgain(now).finally(() => {
        if (reading === current) reading = undefined;
      });
      const current = { startedAt: now, apps };
      reading = current;
      return apps;
    },
    forget() {
      changes += 1;
      known = undefined;
      // Whoever asks from now on must not get what was read before the change.
      reading = undefined;
    },
  };
}

function indexApps(all: readonly App[], iconIds: readonly string[]): Apps {
  const icons = new Set(iconIds);
  const byId = new Map(all.map((app) => [app.id, app]));
  const byHost = new Map<string, App[]>();
  for (const app of all) {
    // An address that another program wrote must not hide the other apps.
    const host = parseHostName(URL.parse(app.url ?? "")?.host ?? "");
    if (!host) continue;
    const others = byHost.get(host);
    if (others === undefined) byHost.set(host, [app]);
    else others.push(app);
  }
  return {
    all,
    hasIcon: (id, scheme) => icons.has(toIconId(id, scheme)),
    find: (id) => byId.get(id),
    findByHost: (host) => byHost.get(host)?.[0],
    listByHost: (host) => byHost.get(host) ?? NO_APPS,
    anyHasHost: byHost.size > 0,
  };
}

const NO_APPS: readonly App[] = [];

/** Says whether a user may open an app, or what is missing. */
export type AppVerdict = "admitted" | "excluded" | "factor-unproven";

/**
 * Decides by the groups and the factors of an app whether a user may open the app. Nobody may open
 * an app that is turned off.
 */
export function judgeUser(app: App, user: User, factors: Factors): AppVerdict {
  if (app.off !== undefined) return "excluded";
  const groups = app.groups === undefined ? [] : [app.groups];
  if (!admitsUser({ users: [], groups }, user)) return "excluded";
  return factors >= (app.factors ?? 1) ? "admitted" : "factor-unproven";
}
