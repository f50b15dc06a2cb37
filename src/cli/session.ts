import { MAX_LISTED } from "../account-api.ts";
import type { Session } from "../db/records.ts";
import { createAccountCommand, createRefusal, findUser, listUsers, quote } from "./accounts.ts";
import { type Command, formatCount, UsageError } from "./command.ts";
import { createListCommand, formatMinute } from "./listing.ts";

/** Describes a session, or a device that needs no code, with the name of its user. */
type ListedSession = Pick<Session, "id" | "createdAt" | "expiresAt" | "device"> &
  Partial<Pick<Session, "usedAt" | "address" | "host">> & {
    readonly type: "session" | "device";
    readonly username: string;
  };

export const list: Command = createListCommand<ListedSession>({
  details:
    "Lists, for each user, the sessions that have not expired, then the devices that need no one-time code. Sessions are in the order of their last use, which is known to the hour. Without the AUTH_SECRET of the gate, devices are listed that a new password has ended.",
  operands: [{ name: "name", need: "optional" }],
  settings: ["AUTH_SECRET", "AUTH_SECRET_FILE", "AUTH_SECRET_PREVIOUS"],
  examples: ["latchkey session list", "latchkey session list alice --json"],

  async *read(accounts, { name }) {
    for await (const { id, username } of listUsers(accounts, name)) {
      const sessions = await accounts.sessions.list(id);
      if (sessions.length === MAX_LISTED)
        accounts.terminal.complain(`listing only ${MAX_LISTED} sessions of ${quote(username)}`);
      yield sessions.map((session) => ({ ...session, type: "session", username }));
      const devices = await accounts.sessions.devices(id);
      yield devices.map((device) => ({ ...device, type: "device", username }));
    }
  },

  columns: { USER: 0, TYPE: 7, "LAST USE": 16, ADDRESS: 0, DEVICE: 0, HOST: 0, ID: 0 },
  toCells: ({ id, type, usedAt, address = "", username, device, host = "" }) => [
    ...[username, type, usedAt ? formatMinute(usedAt) : "", address, device, host, id],
  ],
  toObject: ({ type, id, username, createdAt, usedAt, expiresAt, address, device, host }) => {
    return { type, id, username, createdAt, usedAt, expiresAt, address, device, host };
  },
});

export const end: Command = createAccountCommand({
  details:
    "Ends one session on every instance, or forgets a device that needs no one-time code. The user can sign in again.",
  operands: [{ name: "id", need: "required" }],
  examples: ["latchkey session end 5f0c1d7f7d9e4a3b8c6d2e1f0a9b8c7d"],

  async change({ sessions }, { id }) {
    const outcome = await sessions.end(String(id));
    if (outcome === "no-session") throw createRefusal(outcome, id);
    return `${outcome === "ended" ? "Ended the session" : "Forgot the remembered device"} ${quote(id)}.`;
  },
});

export const endAll: Command = createAccountCommand({
  details: "Ends every session issued before now, on every instance.",
  operands: [{ name: "name", need: "optional" }],
  options: [{ name: "all", about: "end the sessions of all users" }],
  examples: ["latchkey user sign-out alice", "latchkey user sign-out --all"],

  check({ name, all }) {
    if ((name === undefined) === (all === undefined)) {
      throw new UsageError("user sign-out takes either NAME or --all");
    }
  },

  async change(accounts, { name, all }) {
    if (all === true) {
      return `Ended all sessions of ${formatCount(await accounts.sessions.endForEveryone(), "user")}.`;
    }
    const { id } = await findUser(accounts, name);
    if ((await accounts.sessions.endAll(id)) !== "ended") throw createRefusal("no-user", name);
    return `Ended all sessions of user ${quote(name)}.`;
  },
});
