import type { User } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import type { Client } from "../../lib/client.ts";
import type { Mailing } from "../../mail/mailing.ts";
import { type AskServices, askToConfirmEmail } from "./confirm-email.ts";
import {
  type ProfileChange,
  type SetProfileOutcome,
  type SetProfileServices,
  setProfile,
} from "./set-profile.ts";

interface ChangeOwnServices extends SetProfileServices, Omit<AskServices, "mailing"> {
  readonly store: Pick<StoreParts, "users" | "profiles">;
  readonly mailing: Mailing | undefined;
}

/** Says what became of the change. */
export type ChangeOwnProfileOutcome =
  | SetProfileOutcome
  /** The name is set. The address follows once the person has used the link that was sent there. */
  | "confirmation-sent"
  /** The name is set, and too many links were sent. */
  | "rate-limited";

/**
 * Changes the profile of a person who asks for it. With a mail server, a new address first has to
 * be confirmed, and the former one stays until then.
 */
export async function changeOwnProfile(
  services: ChangeOwnServices,
  user: User,
  change: ProfileChange,
  client: Client,
): Promise<ChangeOwnProfileOutcome> {
  const { mailing } = services;
  const email = change.email?.trim() ?? "";
  if (mailing === undefined || email === "" || email === user.email)
    return setProfile(services, user.id, change, client);
  const { email: _, ...others } = change;
  const outcome = await setProfile(services, user.id, others, client);
  if (outcome !== "set") return outcome;
  return sendConfirmation({ ...services, mailing }, user, email);
}

/** Sends the link again: to the address that waits, or to the one that is not verified. */
export async function confirmAgain(
  services: ChangeOwnServices & { readonly store: Pick<StoreParts, "links"> },
  user: User,
): Promise<ChangeOwnProfileOutcome | "nothing-to-confirm"> {
  const { store, mailing, clock } = services;
  const pending = await store.links.findPendingEmail(user.id, new Date(clock.now()));
  const unverified = user.emailVerified === true ? undefined : user.email;
  const email = pending ?? unverified;
  if (mailing === undefined || email === undefined) return "nothing-to-confirm";
  return sendConfirmation({ ...services, mailing }, user, email);
}

async function sendConfirmation(
  services: AskServices,
  user: User,
  email: string,
): Promise<ChangeOwnProfileOutcome> {
  const outcome = await askToConfirmEmail(services, user, email);
  return outcome === "queued" ? "confirmation-sent" : outcome;
}
