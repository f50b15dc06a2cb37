import { createAuditEvent, type NewAuditEvent } from "../../audit/events.ts";
import { NO_PASSWORD, type Profile, type UserId } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import { isUsableEmail } from "../../lib/email.ts";
import { isUsableName } from "../../lib/names.ts";
import type { Mailing } from "../../mail/mailing.ts";

/** Contains what changes. An absent field keeps its value, and an empty text removes it. */
export interface ProfileFields {
  /** Apps show this name. */
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  /** A changed address is unverified unless this says otherwise. */
  readonly emailIs?: "verified" | "unverified" | undefined;
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
  | "set";

interface SetProfileServices {
  readonly store: Pick<StoreParts, "users" | "profiles">;
  /** Writes an audit log entry that says who made the change. */
  readonly record: (event: NewAuditEvent) => unknown;
  readonly mailing?: Pick<Mailing, "tellFormerAddress"> | undefined;
}

/**
 * Changes the given fields of the profile of an account. They identify nobody. The holder of a
 * verified address is told that the account has another one now.
 */
export async function setProfile(
  { store, record, mailing }: SetProfileServices,
  id: UserId,
  fields: ProfileFields,
): Promise<SetProfileOutcome> {
  const user = await store.users.find(id);
  if (user === undefined) return "no-user";
  if (user.passwordHash === NO_PASSWORD) return "guest";
  const known = await store.profiles.find(id);
  const name = fields.name === undefined ? known?.name : fields.name.trim() || undefined;
  if (name !== undefined && !isUsableName(name)) return "name-invalid";
  const email = fields.email === undefined ? known?.email : fields.email.trim() || undefined;
  if (email !== undefined && !isUsableEmail(email)) return "email-invalid";
  const isVerified =
    fields.emailIs === undefined
      ? email === known?.email && known?.verifiedEmail !== undefined
      : fields.emailIs === "verified";
  if (email === undefined && fields.emailIs === "verified") return "email-missing";
  const profile: Profile = {
    id,
    userId: id,
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
    ...(email !== undefined && isVerified && { verifiedEmail: email.toLowerCase() }),
    ...(known?.locale !== undefined && { locale: known.locale }),
  };
  const outcome = await store.profiles.set(profile);
  if (outcome !== "set") return outcome;
  const event = createAuditEvent("user_profile", { user });
  await record(event);
  if (known !== undefined && known.email?.toLowerCase() !== email?.toLowerCase())
    await mailing?.tellFormerAddress(known, event);
  return "set";
}
