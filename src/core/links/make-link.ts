import { randomBytes } from "node:crypto";
import { hasEnded } from "../accounts/living-users.ts";
import { eventOf } from "../log/events.ts";
import { type Link, NO_PASSWORD, type StoredUser, type UserId } from "../records.ts";
import { type LinkPorts, linkTokenHash, newLinkToken } from "./link-ports.ts";

/** What a new link is for, until when it can be used, and the administrator who makes it. */
export type WantedLink = Pick<Link, "expiresAt" | "madeBy"> &
  (
    | ({ readonly purpose: "invite" } & Pick<Link, "name" | "groups" | "endsAt">)
    | ({ readonly purpose: "guest"; readonly name: string } & Pick<
        Link,
        "groups" | "guestSeconds" | "usesLeft"
      >)
    | { readonly purpose: "reset" | "reset-codes-off"; readonly userId: UserId }
  );

/** The same before it is known when it expires, and who makes it. */
export type UnlimitedLink = WantedLink extends infer One
  ? One extends WantedLink
    ? Omit<One, "expiresAt" | "madeBy">
    : never
  : never;

type MakeLinkOutcome =
  | { readonly kind: "no-account" }
  | { readonly kind: "no-user" }
  | { readonly kind: "username-taken" }
  /** The token is not kept. */
  | { readonly kind: "made"; readonly link: Link; readonly token: string };

export async function makeLink(
  { store, clock, record }: LinkPorts,
  wanted: WantedLink,
): Promise<MakeLinkOutcome> {
  // The first account is made by the setup alone.
  if (!(await store.users.any())) return { kind: "no-account" };
  let owner: StoredUser | undefined;
  switch (wanted.purpose) {
    case "invite": {
      const { name } = wanted;
      const user = name === undefined ? undefined : await store.users.findByName(name);
      if (user !== undefined) return { kind: "username-taken" };
      break;
    }
    case "guest":
      break;
    case "reset":
    case "reset-codes-off":
      owner = await store.users.find(wanted.userId);
      if (owner === undefined || hasEnded(owner, clock.now())) return { kind: "no-user" };
      // A guest with a password would be admitted without a list.
      if (owner.passwordHash === NO_PASSWORD) return { kind: "no-user" };
  }
  const token = newLinkToken();
  const tokenHash = linkTokenHash(token);
  const id = randomBytes(8).toString("hex");
  const link = { usesLeft: 1, ...wanted, id, tokenHash, ...(owner && { name: owner.username }) };
  await store.links.insert(link);
  await record(eventOf("link_make", { user: owner, name: linkText(link) }));
  return { kind: "made", link, token };
}

/** What the audit log calls a link. */
export const linkText = ({ id, purpose, name = "" }: Link): string =>
  [id, purpose, name].filter((part) => part !== "").join(" ");
