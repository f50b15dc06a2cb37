import { eventOf } from "../log/events.ts";
import { type LinkPorts, linkText } from "./make-link.ts";

/** Also for a link that was used or has expired, there is none. */
export async function revokeLink(
  { store, clock, record }: LinkPorts,
  id: string,
): Promise<"no-link" | "revoked"> {
  const link = await store.links.revoke(id, new Date(clock.now()));
  if (link === undefined) return "no-link";
  await record(eventOf("link_revoke", { name: linkText(link) }));
  return "revoked";
}
