import { type SignOut, toPublicUser } from "../../db/records.ts";
import type { Store, StoreParts } from "../../db/store.ts";
import type { Clock } from "../../lib/clock.ts";
import { getErrorMessage, getErrorReason, Unavailable } from "../../lib/fault.ts";
import { startLoop } from "../../lib/loop.ts";
import type { MaybePromise } from "../../lib/maybe-promise.ts";
import type { ServerLog } from "../../lib/server-log.ts";
import { type AppDirectory, judgeUser } from "../apps/app-directory.ts";
import { createLogoutToken } from "./logout-token.ts";
import { type SigningJwk, selectKey } from "./signing-keys.ts";

/** Tells apps that sessions have ended. */
export interface SignOutQueue {
  /** Resolves once the running requests have ended. */
  stop(): Promise<void>;
}

export interface SignOutServices {
  readonly store: Pick<StoreParts, "apps" | "signOuts" | "grants"> & Pick<Store, "observe">;
  readonly clock: Pick<Clock, "now">;
  readonly appDirectory: AppDirectory;
  readonly log: ServerLog;
  readonly issuer: string;
  readonly readKeys: () => MaybePromise<readonly SigningJwk[]>;
  /** Sends a token. Rejects unless the app acknowledges it. */
  readonly send: (url: string, token: string, stop: AbortSignal) => Promise<void>;
}

/** While somebody is signed in to an app that wants to know, the ends are looked for this often. */
const CHECK_EVERY_MS = 2_000;
/** Other instances may have written the first sign-in of such an app. */
const LOOK_EVERY_MS = 30_000;
const PAGE = 500;
/** These many requests run at the same time. */
const AT_ONCE = 20;
/** If the process dies during a request, another one tries again after this time. */
const LEASE_MS = 60_000;

/** Each number is the pause in seconds before the next request. After the last one, none follows. */
const RETRY_SECONDS = [1, 5, 30, 120, 600, 3_600, 10_800, 21_600, 43_200, 43_200];

/** These operations can end a session, an account, a group, an app or a consent, or begin a grant. */
const RELEVANT = new Set([
  "apps.change",
  "apps.remove",
  "codes.endFactors",
  "consents.remove",
  "grants.insert",
  "grants.remove",
  "sessions.end",
  "users.endAllSessions",
  "users.endSessions",
  "users.remove",
  "users.setGroups",
]);

/**
 * Starts the queue. The ends are derived from the state of the database, with the same rule that
 * admits tokens, so that no way to end a session is forgotten. The requests are in the database:
 * each is claimed by one instance, and tried again until the app acknowledges it.
 */
export function startSignOutQueue(services: SignOutServices): SignOutQueue {
  const { store, log } = services;
  const loop = startLoop(CHECK_EVERY_MS, async (stop) => {
    try {
      return (await checkOnce(services, stop)) === "busy" ? CHECK_EVERY_MS : LOOK_EVERY_MS;
    } catch (error) {
      // An outage of the database is logged where queries run.
      if (!(error instanceof Unavailable))
        log.error({ reason: getErrorMessage(error) }, "cannot tell apps that sessions have ended");
      return CHECK_EVERY_MS;
    }
  });
  const nudge = (operation: string): void => {
    if (RELEVANT.has(operation)) loop.wake();
  };
  const stopObserving = store.observe({ answered: nudge, failed: nudge });
  return {
    async stop() {
      stopObserving();
      await loop.stop();
    },
  };
}

/** Looks for ends, and sends what is due. `busy` says that some grants are valid, or wait. */
async function checkOnce(services: SignOutServices, stop: AbortSignal): Promise<"busy" | "idle"> {
  const hasOpen = await noteEnds(services);
  const hasSent = await sendDue(services, stop);
  return hasOpen || hasSent ? "busy" : "idle";
}

/** Notes which grants have ended. Returns whether any grant is still valid. */
export async function noteEnds({ store, clock }: SignOutServices): Promise<boolean> {
  let hasOpen = false;
  for (let afterId = ""; ; ) {
    const open = await store.signOuts.listOpen(afterId, PAGE);
    const now = new Date(clock.now());
    const ids = open.map(({ id }) => id);
    const current = await store.grants.findAllCurrent(ids, now);
    // An end is final. Apps that were read earlier may lack an app that has a grant already, or the
    // group by which it admits the account.
    const apps = new Map((await store.apps.list()).map((app) => [app.id, app]));
    const valid = new Set(
      current.flatMap(({ grant, user }) => {
        const app = apps.get(grant.appId);
        const factors = grant.factors === 2 ? 2 : 1;
        const isAdmitted =
          app !== undefined && judgeUser(app, toPublicUser(user), factors) === "admitted";
        return isAdmitted ? [grant.id] : [];
      }),
    );
    await store.signOuts.end(
      ids.filter((id) => !valid.has(id)),
      now,
    );
    hasOpen ||= valid.size > 0;
    const last = open.at(-1);
    if (last === undefined || open.length < PAGE) return hasOpen;
    afterId = last.id;
  }
}

/** Sends what is due. Returns whether anything was due. */
export async function sendDue(services: SignOutServices, stop: AbortSignal): Promise<boolean> {
  const { store, clock } = services;
  let hasSent = false;
  while (!stop.aborted) {
    const now = clock.now();
    const again = new Date(now + LEASE_MS);
    const due = await store.signOuts.claimDue(new Date(now), again, AT_ONCE);
    if (due.length === 0) return hasSent;
    hasSent = true;
    await Promise.all(due.map((signOut) => sendOne(services, signOut, stop)));
  }
  return hasSent;
}

async function sendOne(
  services: SignOutServices,
  signOut: SignOut,
  stop: AbortSignal,
): Promise<void> {
  const { store, clock, appDirectory, issuer, readKeys, send, log } = services;
  const { id, appId, url } = signOut;
  const tries = signOut.tries + 1;
  try {
    const app = (await appDirectory.read()).find(appId);
    const key = selectKey(await readKeys(), app?.signing ?? "RS256");
    await send(url, createLogoutToken(signOut, key, issuer, clock.now()), stop);
  } catch (error) {
    // The lease runs out, and another instance or the next start tries again.
    if (stop.aborted) return;
    const seconds = RETRY_SECONDS[tries - 1];
    const dueAt = seconds === undefined ? undefined : new Date(clock.now() + seconds * 1_000);
    const problem = getErrorReason(error).slice(0, 1_000);
    await store.signOuts.note(id, { tries, dueAt, problem });
    const next = dueAt === undefined ? "gave up" : "trying again";
    log.warn({ app: appId, reason: problem, tries }, `an app does not take a sign-out: ${next}`);
    return;
  }
  await store.signOuts.note(id, { tries, acknowledgedAt: new Date(clock.now()) });
}

const TIMEOUT_MS = 10_000;

/**
 * Sends a token to the back-channel address of an app. A redirect does not count: it could lead to
 * any host.
 */
export async function sendLogoutToken(
  url: string,
  token: string,
  stop: AbortSignal,
): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    body: new URLSearchParams({ logout_token: token }),
    redirect: "manual",
    signal: AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the app answered ${response.status}`);
}
