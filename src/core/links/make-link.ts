import { randomBytes } from "node:crypto";
import type { AccountPorts } from "../accounts/account-ports.ts";
import { hasEnded } from "../accounts/living-users.ts";
import { eventOf } from "../log/events.ts";
import type { Link } from "../records.ts";
import type { LinkStore } from "../store.ts";
import { linkTokenHash } from "./find-link.ts";

/** What making and revoking links needs. */
export interface LinkPorts extends Pick<AccountPorts, "clock" | "record"> {
  readonly store: AccountPorts["store"] & { readonly links: LinkStore };
}

/** `name` is the username for an invitation, if it is settled, and for a new password. */
export type WantedLink = Omit<Link, "id" | "tokenHash" | "userId">;

type MakeLinkOutcome =
  | { readonly kind: "no-account" | "no-user" | "username-taken" }
  /** Only the caller ever has the token. */
  | { readonly kind: "made"; readonly link: Link; readonly token: string };

export async function makeLink(
  { store, clock, record }: LinkPorts,
  wanted: WantedLink,
): Promise<MakeLinkOutcome> {
  // The first account is made by the setup alone.
  if (!(await store.users.any())) return { kind: "no-account" };
  const { purpose, name } = wanted;
  const found = name === undefined ? undefined : await store.users.findByName(name);
  if (purpose === "invite" && found !== undefined) return { kind: "username-taken" };
  const isReset = purpose === "reset" || purpose === "reset-codes-off";
  const user = isReset && found && !hasEnded(found, clock.now()) ? found : undefined;
  if (isReset && user === undefined) return { kind: "no-user" };
  const token = randomBytes(32).toString("base64url");
  const ids = { id: randomBytes(8).toString("hex"), tokenHash: linkTokenHash(token) };
  const link: Link = { ...wanted, ...ids, ...(user && { userId: user.id }) };
  await store.links.insert(link);
  await record(eventOf("link_make", { user, name: linkText(link) }));
  return { kind: "made", link, token };
}

/** What the audit log calls a link. */
export const linkText = ({ id, purpose, name }: Link): string =>
  [id, purpose, name ?? []].flat().join(" ");
