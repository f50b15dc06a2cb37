import type { AppState, RefusedUse } from "../../db/queries/app-uses.ts";
import { type App, type AppUse, type StoredUser, toPublicUser } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import type { Clock } from "../../lib/clock.ts";
import { judgeUser } from "./app-directory.ts";
import { splitList } from "./app-fields.ts";
import { checkRedirect } from "./app-urls.ts";

const DAY_MS = 86_400_000;
/** A week has this many days, the last one today. */
const WEEK_DAYS = 7;

const MAX_OPENED = 4;
const MAX_REFUSED = 5;
/** Some of the newest refusals no longer hold, so more of them are read than are shown. */
const MAX_READ = 50;
const MAX_PEOPLE = 10_000;

/** Names what an administrator should look at. */
export type AppTrouble = "no-address" | "sign-out" | "redirect" | "refused";

/** Finds what an administrator should look at. An app that is turned off has no troubles. */
export function findTroubles(
  app: App,
  state: AppState | undefined,
  now: Date,
): readonly AppTrouble[] {
  if (app.off !== undefined) return [];
  const troubles: AppTrouble[] = [];
  if (app.url === undefined && app.clientType === undefined) troubles.push("no-address");
  if (state?.hasMissedSignOut) troubles.push("sign-out");
  const refused = state?.refused;
  const isLast = refused && !(state.opened && state.opened.at >= refused.use.refusedAt);
  if (refused === undefined || !isLast) return troubles;
  if (refused.use.refusedUri === undefined) {
    if (isStillRefused(app, refused, now)) troubles.push("refused");
  } else if (isMissingUri(app, refused.use.refusedUri)) troubles.push("redirect");
  return troubles;
}

/** Returns whether the app would refuse the person again because of its groups. */
function isStillRefused(app: App, { use, user }: RefusedUse, now: Date): boolean {
  const hasOpened = use.openedAt !== undefined && use.openedAt >= use.refusedAt;
  const hasEnded = user.endsAt !== undefined && !(user.endsAt > now);
  if (hasOpened || hasEnded || use.refusedUri !== undefined) return false;
  const { off: _, ...turnedOn } = app;
  return judgeUser(turnedOn, toPublicUser(user), 2) === "excluded";
}

const isMissingUri = (app: App, uri: string): boolean =>
  app.clientType !== undefined &&
  !splitList(app.redirects).includes(uri) &&
  checkRedirect(uri) === undefined;

/** Describes how an app was used. */
export interface AppUses {
  /** Lists who has opened the app, the last first. */
  readonly opened: readonly { readonly use: AppUse; readonly user: StoredUser }[];
  /** Lists who was refused and still would be, the last first. */
  readonly refused: readonly RefusedUse[];
  readonly refusedUri:
    | { readonly uri: string; readonly host: string; readonly isElsewhere: boolean }
    | undefined;
  /** Contains for each person the days on which they have opened the app. */
  readonly days: readonly (readonly (readonly [day: number, count: number])[])[];
}

interface UseServices {
  readonly store: Pick<StoreParts, "appUses">;
  readonly clock: Pick<Clock, "now">;
}

/** Reads how an app was used. */
export async function readAppUses({ store, clock }: UseServices, app: App): Promise<AppUses> {
  const now = new Date(clock.now());
  const since = new Date(now.getTime() - WEEK_DAYS * DAY_MS);
  const [opened, refused, days] = await Promise.all([
    store.appUses.listOpened(app.id, MAX_OPENED),
    store.appUses.listRefused(app.id, MAX_READ),
    store.appUses.listDays(app.id, since, MAX_PEOPLE),
  ]);
  const uri = refused
    .map(({ use }) => use.refusedUri)
    .find((refusedUri) => refusedUri !== undefined && isMissingUri(app, refusedUri));
  return {
    opened,
    refused: refused.filter((refusal) => isStillRefused(app, refusal, now)).slice(0, MAX_REFUSED),
    refusedUri: uri === undefined ? undefined : { uri, ...describeUri(app, uri) },
    days,
  };
}

/**
 * Says at which host a URI is. A signed-in person can be led to make the app show any address, so
 * only one at a host of the app is offered without a warning.
 */
function describeUri(
  app: App,
  uri: string,
): { readonly host: string; readonly isElsewhere: boolean } {
  const known = [app.url, ...splitList(app.redirects)].flatMap((each) =>
    each === undefined ? [] : toHostName(each),
  );
  const host = toHostName(uri);
  return { host, isElsewhere: !known.includes(host) };
}

/** Returns the host of a URI with its port, or its scheme if it has no host. */
function toHostName(uri: string): string {
  const { protocol, host } = new URL(uri);
  return protocol === "https:" || protocol === "http:" ? host : protocol;
}

/** Sums up the last seven days in UTC. */
export function sumUpWeek(
  days: AppUses["days"],
  now: Date,
): {
  readonly people: number;
  readonly days: readonly { readonly day: Date; readonly count: number }[];
} {
  const today = Math.floor(now.getTime() / DAY_MS);
  const first = today - WEEK_DAYS + 1;
  const counts = Array.from({ length: WEEK_DAYS }, () => 0);
  let people = 0;
  for (const ofPerson of days) {
    const inWeek = ofPerson.filter(([day]) => day >= first && day <= today);
    if (inWeek.length > 0) people += 1;
    for (const [day, count] of inWeek) counts[day - first] = (counts[day - first] ?? 0) + count;
  }
  return {
    people,
    days: counts.map((count, at) => ({ day: new Date((first + at) * DAY_MS), count })),
  };
}
