import type { App, User } from "../../db/records.ts";
import { judgeUser } from "../apps/app-directory.ts";

interface OpenableApp {
  readonly app: App;
  readonly url: URL;
}

interface LauncherSection {
  /** Empty for the apps without a section. */
  readonly name: string;
  readonly apps: readonly OpenableApp[];
}

/**
 * Lists the apps with an address that the person may open, by section. Apps without a section come
 * first. A required second factor hides no app, because the person can still sign in with one.
 */
export function listLauncherApps(apps: readonly App[], user: User): readonly LauncherSection[] {
  const sections = new Map<string, OpenableApp[]>();
  const openable = apps
    .map((app) => ({ app, url: URL.parse(app.url ?? "") }))
    .filter(
      (entry): entry is OpenableApp =>
        entry.url !== null && judgeUser(entry.app, user, 2) !== "excluded",
    )
    .sort((first, second) => compareNames(first.app.name, second.app.name));
  for (const entry of openable) {
    const name = entry.app.section ?? "";
    const section = sections.get(name);
    if (section === undefined) sections.set(name, [entry]);
    else section.push(entry);
  }
  return [...sections]
    .map(([name, inSection]) => ({ name, apps: inSection }))
    .sort((first, second) => compareNames(first.name, second.name));
}

const collator = new Intl.Collator("en");
const compareNames = (first: string, second: string): number => collator.compare(first, second);
