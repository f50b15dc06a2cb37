import type { Link } from "../../core/records.ts";
import { pagesOf } from "../../core/transfer/pages.ts";
import type { Command } from "../command.ts";
import { listCommand } from "../listing.ts";

export const command: Command = listCommand<Link>({
  details: "Lists the links that can be used, without their tokens, which are not stored.",
  examples: ["latchkey link list", "latchkey link list --json"],
  async read({ links }) {
    const now = new Date();
    return pagesOf((afterId, limit) => links.read(afterId, limit, now));
  },
  columns: { ID: 16, PURPOSE: 15, EXPIRES: 24, USES: 4, NAME: 0, GROUPS: 0 },
  cells: ({ id, purpose, expiresAt, usesLeft, name = "", groups = [] }) => [
    ...[id, purpose, expiresAt.toISOString(), String(usesLeft), name, groups.join(",")],
  ],
  object: ({ tokenHash: _, userId: __, ...link }) => link,
});
