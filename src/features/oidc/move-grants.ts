import type { StoreParts } from "../../db/store.ts";
import {
  computeValidUpTo,
  type IssuedToken,
  type SessionTokens,
} from "../../identity/session-token.ts";
import type { Clock } from "../../lib/clock.ts";
import type { AppDirectory } from "../apps/app-directory.ts";

interface MoveGrantsServices {
  readonly store: Pick<StoreParts, "grants">;
  readonly clock: Pick<Clock, "now">;
  readonly tokens: Pick<SessionTokens, "verify">;
  readonly appDirectory: AppDirectory;
}

/**
 * Moves the grants of the sessions that a sign-in replaces to the new session. Must run before these
 * sessions end: otherwise, a person who signs in again would be signed out of all apps.
 *
 * @param replaced contains the values of the browser's session cookies.
 */
export async function moveGrants(
  { store, clock, tokens, appDirectory }: MoveGrantsServices,
  replaced: readonly string[],
  token: IssuedToken,
): Promise<void> {
  if (replaced.length === 0 || (await appDirectory.read()).all.length === 0) return;
  const moved = {
    sessionId: token.id,
    validUpTo: Math.floor(computeValidUpTo(token)),
    factors: token.factors,
    expiresAt: new Date(token.expiresAt),
  };
  for (const text of replaced) {
    const old = tokens.verify(text);
    if (typeof old !== "object" || old.id === undefined || old.userId !== token.userId) continue;
    await store.grants.move(old.id, token.userId, moved, new Date(clock.now()));
  }
}
