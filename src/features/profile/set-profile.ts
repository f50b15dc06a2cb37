import { isDeepStrictEqual } from "node:util";
import { createAuditEvent, type NewAuditEvent } from "../../audit/events.ts";
import {
  type FoundUser,
  NO_PASSWORD,
  type Profile,
  toPublicUser,
  type User,
  type UserId,
} from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import { type ChangeServices, changeAccount } from "../../identity/credential-cache.ts";
import type { Client } from "../../lib/client.ts";
import { isUsableEmail } from "../../lib/email.ts";
import { isUsableName } from "../../lib/names.ts";
import { digestText } from "../../lib/random-text.ts";
import type { Mailing } from "../../mail/mailing.ts";

/** Contains what changes. An absent field keeps its value, and an empty text removes it. */
export interface ProfileFields {
  /** Apps show this name. */
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  /** A changed address is unverified unless this says otherwise. */
  readonly emailIs?: "verified" | "unverified" | undefined;
}

/** Says what a form changes. */
export interface ProfileChange extends ProfileFields {
  /**
   * The profile must still have this version, which `toProfileVersion` returned when the form was
   * shown. A form that others have overtaken would undo what they changed.
   */
  readonly version?: string | undefined;
}

/** Says whether the profile was set, or why nothing has changed. */
export type SetProfileOutcome =
  | "no-user"
  /** A guest has no profile. */
  | "guest"
  | "name-invalid"
  | "email-invalid"
  /** There is no address to be verified. */
  | "email-missing"
  /** Another account has verified this address. */
  | "email-taken"
  /** Others have changed the profile in the meantime. */
  | "changed-meanwhile"
  | "set";

export interface SetProfileServices extends ChangeServices {
  readonly store: Pick<StoreParts, "users" | "profiles">;
  /** Writes an audit log entry that says who made the change. */
  readonly record: (event: NewAuditEvent) => unknown;
  /** Tells a former address that the account has another one. */
  readonly mailing?: Pick<Mailing, "tellFormerAddress"> | undefined;
}

export type KnownProfile = NonNullable<FoundUser["profile"]>;

/** Returns a text that differs after each change of the name or the address of the user. */
export const toProfileVersion = ({ name, email, emailVerified }: User): string =>
  digestText(JSON.stringify([name, email, emailVerified]));

/** A change without a version begins again so often after others have changed the profile. */
const MAX_TRIES = 10;

/** Changes the given fields of the profile of an account. They identify nobody. */
export async function setProfile(
  services: SetProfileServices,
  id: UserId,
  change: ProfileChange,
  client?: Client,
): Promise<SetProfileOutcome> {
  const { store, record } = services;
  for (let tries = 1; ; tries += 1) {
    const user = await store.users.find(id);
    if (user === undefined) return "no-user";
    if (user.passwordHash === NO_PASSWORD) return "guest";
    const known = user.profile ?? {};
    if (change.version !== undefined && change.version !== toProfileVersion(toPublicUser(user)))
      return "changed-meanwhile";
    const changed = applyProfileFields(known, change);
    if (typeof changed === "string") return changed;
    if (isDeepStrictEqual(changed, known)) return "set";
    const profile: Profile = { id, userId: id, ...changed };
    // It also has the language of the message to the former address.
    const former = services.mailing && (await store.profiles.find(id));
    const outcome = await changeAccount(services, id, () => store.profiles.set(profile, known));
    const isOvertaken = outcome === "changed-meanwhile" && change.version === undefined;
    if (isOvertaken && tries < MAX_TRIES) continue;
    if (outcome !== "set") return outcome;
    const event = createAuditEvent("user_profile", { user, client });
    await record(event);
    if (former !== undefined && former.email?.toLowerCase() !== profile.email?.toLowerCase())
      await services.mailing?.tellFormerAddress(former, event);
    return outcome;
  }
}

/** Returns the changed profile, or why it cannot be. A changed address is unverified. */
export function applyProfileFields(
  known: KnownProfile,
  change: ProfileFields,
): KnownProfile | Extract<SetProfileOutcome, "name-invalid" | "email-invalid" | "email-missing"> {
  const name = change.name === undefined ? known.name : change.name.trim() || undefined;
  if (name !== undefined && !isUsableName(name)) return "name-invalid";
  const email = change.email === undefined ? known.email : change.email.trim() || undefined;
  if (email !== undefined && !isUsableEmail(email)) return "email-invalid";
  if (email === undefined)
    return change.emailIs === "verified"
      ? "email-missing"
      : { ...(name !== undefined && { name }) };
  const verifiedEmail = email.toLowerCase();
  const isVerified =
    change.emailIs === undefined
      ? verifiedEmail === known.verifiedEmail
      : change.emailIs === "verified";
  return { ...(name !== undefined && { name }), email, ...(isVerified && { verifiedEmail }) };
}
