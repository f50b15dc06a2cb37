import type { App, User } from "../../db/records.ts";
import { judgeUser } from "../apps/app-directory.ts";

/** Contains an app with the address at which browsers open it. */
export interface OpenableApp {
  readonly app: App;
  readonly url: string;
  readonly host: string;
  /** A search looks for its words in this text. */
  readonly searched: string;
}

export interface LauncherSection {
  /** Empty for the apps without a section. */
  readonly name: string;
  readonly apps: readonly OpenableApp[];
}

/**
 * Sorting names and parsing addresses takes longer than the rest of the page, and the directory
 * returns the same list for a second.
 */
const latest = new WeakMap<readonly App[], Map<Intl.Collator, readonly LauncherSection[]>>();

/**
 * Lists the apps that the person may open, by section, both sorted by their names. Apps without a
 * section come first. A required second factor hides no app, because the person can still sign in
 * with one.
 */
export function listLauncherApps(
  apps: readonly App[],
  user: User,
  collator: Intl.Collator,
): readonly LauncherSection[] {
  const sorted = latest.get(apps) ?? new Map<Intl.Collator, readonly LauncherSection[]>();
  latest.set(apps, sorted);
  const sections = sorted.get(collator) ?? groupBySection(apps, collator);
  sorted.set(collator, sections);
  return sections
    .map((section) => ({
      name: section.name,
      apps: section.apps.filter(({ app }) => judgeUser(app, user, 2) !== "excluded"),
    }))
    .filter((section) => section.apps.length > 0);
}

function groupBySection(
  apps: readonly App[],
  { compare }: Intl.Collator,
): readonly LauncherSection[] {
  const openable = apps
    .map(toOpenableApp)
    .filter((entry) => entry !== undefined)
    .sort((first, second) => compare(first.app.name, second.app.name));
  return [...Map.groupBy(openable, ({ app }) => app.section ?? "")]
    .map(([name, inSection]) => ({ name, apps: inSection }))
    .sort((first, second) => compare(first.name, second.name));
}

/**
 * Returns `undefined` for an app without an address that a browser can open: an administrator may
 * not have entered one, and a row that another program wrote can contain any text.
 */
function toOpenableApp(app: App): OpenableApp | undefined {
  const url = URL.parse(app.url ?? "");
  if (url === null || !["http:", "https:"].includes(url.protocol)) return undefined;
  if (url.hostname.includes("*")) return undefined;
  return { app, url: url.href, host: url.host, searched: fold(`${app.name} ${url.host}`) };
}

/** Returns whether the name and the host of an app contain every word of the search. */
export function createSearch(search: string): (app: Pick<OpenableApp, "searched">) => boolean {
  const words = fold(search).split(/\s+/);
  return ({ searched }) => words.every((word) => searched.includes(word));
}

/** Ignores case and accents. `latchkey-launcher.js` does the same. */
const fold = (text: string): string => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
