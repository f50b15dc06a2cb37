import { randomBytes } from "node:crypto";
import { hasEnded } from "../accounts/living-users.ts";
import { eventOf } from "../log/events.ts";
import type { Link, StoredUser } from "../records.ts";
import { type LinkPorts, linkTokenHash, newLinkToken } from "./link-ports.ts";

/** What a new link is for, until when it can be used, and the administrator who makes it. */
export type WantedLink = Pick<Link, "expiresAt" | "madeBy"> &
  (
    | ({ readonly purpose: "invite" } & Pick<Link, "name" | "groups" | "endsAt">)
    | ({ readonly purpose: "guest"; readonly name: string } & Pick<
        Link,
        "groups" | "guestSeconds" | "usesLeft"
      >)
    | { readonly purpose: "reset" | "reset-codes-off"; readonly name: string }
  );

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
  const { name } = wanted;
  const user = name === undefined ? undefined : await store.users.findByName(name);
  let owner: StoredUser | undefined;
  switch (wanted.purpose) {
    case "invite":
      if (user !== undefined) return { kind: "username-taken" };
      break;
    case "guest":
      break;
    case "reset":
    case "reset-codes-off":
      if (user === undefined || hasEnded(user, clock.now())) return { kind: "no-user" };
      owner = user;
  }
  const token = newLinkToken();
  const tokenHash = linkTokenHash(token);
  const id = randomBytes(8).toString("hex");
  const link = { usesLeft: 1, ...wanted, id, tokenHash, ...(owner && { userId: owner.id }) };
  await store.links.insert(link);
  await record(eventOf("link_make", { user: owner, name: linkText(link) }));
  return { kind: "made", link, token };
}

/** What the audit log calls a link. */
export const linkText = ({ id, purpose, name = "" }: Link): string =>
  [id, purpose, name].filter((part) => part !== "").join(" ");
