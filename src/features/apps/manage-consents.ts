import { createAuditEvent, type NewAuditEvent } from "../../audit/events.ts";
import type { Grant, User } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import type { Client } from "../../lib/client.ts";
import type { Clock } from "../../lib/clock.ts";

/** Lists the services that rules about the access of apps need. */
export interface ConsentServices {
  readonly store: Pick<StoreParts, "consents" | "grants">;
  readonly clock: Pick<Clock, "now">;
  /** Writes an audit log entry. */
  readonly record: (event: NewAuditEvent) => unknown;
}

/** Describes that an app knows a person. */
export interface AppAccess {
  readonly appId: string;
  /** The app stays signed in after a sign-out of the person. */
  readonly staysSignedIn: boolean;
  readonly signedInAt: Date | undefined;
  readonly agreedAt: Date | undefined;
}

const MAX_GRANTS = 200;

/** Lists the apps that know a person: by a consent, or by a sign-in that has not ended. */
export async function listAccess(
  { store, clock }: Pick<ConsentServices, "store" | "clock">,
  { id }: User,
): Promise<readonly AppAccess[]> {
  const now = new Date(clock.now());
  const [consents, grants] = await Promise.all([
    store.consents.listOf(id),
    store.grants.listCurrent(id, now, MAX_GRANTS),
  ]);
  const agreedAt = new Map(consents.map(({ appId, createdAt }) => [appId, createdAt]));
  const grantsOf = Map.groupBy(grants, ({ appId }: Grant) => appId);
  return [...new Set([...agreedAt.keys(), ...grantsOf.keys()])].sort().map((appId) => ({
    appId,
    staysSignedIn: grantsOf.get(appId)?.some(({ offline }) => offline !== undefined) ?? false,
    signedInAt: grantsOf.get(appId)?.[0]?.createdAt,
    agreedAt: agreedAt.get(appId),
  }));
}

/** Takes the access of an app back: the consent and all sign-ins of the person to the app end. */
export async function revokeAccess(
  { store, record }: Pick<ConsentServices, "store" | "record">,
  user: User,
  appId: string,
  client: Client,
): Promise<"no-access" | "revoked"> {
  if (!(await store.consents.remove(appId, user.id))) return "no-access";
  await record(createAuditEvent("app_consent_revoke", { user, name: appId, client }));
  return "revoked";
}
