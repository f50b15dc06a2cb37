import type { StoredSession } from "../../core/sessions/session-store.ts";
import type { UserId } from "../../core/store.ts";
import { pagesOf } from "../../core/transfer/pages.ts";
import { printable, printableJson } from "../../files/printable.ts";
import { type OpenStore, openStoreToRead } from "../../gate/open-store.ts";
import type { Command } from "../command.ts";
import { SUCCESS } from "../terminal.ts";
import { refuse, STORE_SETTINGS } from "../user/accounts.ts";

/** How many sessions of one user are listed. */
const MAX_OF_USER = 1_000;

export const command: Command = {
  details:
    "Lists the sessions that have not expired. Those of one user are in the order of their last use, which is known to the hour.",
  operands: [{ name: "name", need: "optional" }],
  options: [{ name: "json", about: "print one JSON object per line" }],
  settings: STORE_SETTINGS,
  examples: ["latchkey session list", "latchkey session list alice --json"],

  async run(settings, { name, json }, terminal) {
    await using store = await openStoreToRead(settings);
    const now = new Date();
    const username = name === undefined ? undefined : String(name);
    const user = username === undefined ? undefined : await store.findUserByUsername(username);
    if (username !== undefined && user === undefined) return refuse("no-user", username, terminal);
    const format = json === true ? asJson : row;
    if (format === row)
      terminal.printHeader(columns("ID", "LAST USE", "ADDRESS", "USER", "DEVICE"));
    const nameOf = usernames(store);
    for await (const sessions of user === undefined
      ? pagesOf("", (query) => store.readSessions(query))
      : [await store.readSessionsOf(user.id, now, MAX_OF_USER)]) {
      const alive = sessions.filter(({ expiresAt }) => expiresAt > now);
      const lines = alive.map(async (one) => format(one, await nameOf(one.userId)));
      await terminal.printAll(await Promise.all(lines));
    }
    return SUCCESS;
  },
};

/** Looks each username up once. */
function usernames(store: OpenStore): (id: UserId) => Promise<string> {
  const known = new Map<UserId, Promise<string>>();
  return (id) => {
    const name = known.get(id) ?? store.findUser(id).then((user) => user?.username ?? "");
    known.set(id, name);
    return name;
  };
}

function asJson(session: StoredSession, username: string): string {
  const { id, createdAt, usedAt, expiresAt, address, device } = session;
  return printableJson({ id, username, createdAt, usedAt, expiresAt, address, device });
}

const row = ({ id, usedAt, address, device }: StoredSession, username: string): string =>
  columns(id, usedAt.toISOString(), address, username, device);

const WIDTHS = [32, 24, 15];

const columns = (...cells: readonly string[]): string =>
  printable(cells.map((cell, at) => cell.padEnd(WIDTHS[at] ?? 0)).join("  "));
