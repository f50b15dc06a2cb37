import { listDevices } from "../../core/codes/remembered-devices.ts";
import type { StoredUser, UserId } from "../../core/records.ts";
import { createSeals, type Seals } from "../../core/sessions/seals.ts";
import { DEVELOPMENT_SECRET } from "../../core/sessions/session-token.ts";
import { pagesOf } from "../../core/transfer/pages.ts";
import type { OpenStore } from "../../gate/open-store.ts";
import type { Command } from "../command.ts";
import { listCommand } from "../listing.ts";
import { userNamed } from "../user/accounts.ts";

/** How many sessions of one user are listed. */
const MAX_OF_USER = 1_000;

/** A session, or a device that needs no code. */
interface Listed {
  readonly type: "session" | "device";
  readonly id: string;
  readonly userId: UserId;
  readonly createdAt: Date;
  readonly usedAt?: Date;
  readonly expiresAt: Date;
  readonly address?: string;
  readonly device: string;
  readonly host?: string;
}

interface Row extends Listed {
  readonly username: string;
}

export const command: Command = listCommand<Row>({
  details:
    "Lists the sessions that have not expired, then the devices that need no one-time code. The sessions of one user are in the order of their last use, which is known to the hour. Without the AUTH_SECRET of the gate, devices are listed that a new password has ended.",
  operands: [{ name: "name", need: "optional" }],
  settings: ["AUTH_SECRET", "AUTH_SECRET_FILE", "AUTH_SECRET_PREVIOUS"],
  examples: ["latchkey session list", "latchkey session list alice --json"],
  async read(store, { name }, { secret, previousSecrets }) {
    const seals = createSeals(secret || DEVELOPMENT_SECRET, previousSecrets);
    const user = await userNamed(store, name);
    return named(store, listedOf(store, seals, user));
  },
  columns: { ID: 43, TYPE: 7, "LAST USE": 24, ADDRESS: 15, USER: 0, DEVICE: 0, HOST: 0 },
  cells: ({ id, type, usedAt, address = "", username, device, host = "" }) => [
    ...[id, type, usedAt?.toISOString() ?? "", address, username, device, host],
  ],
  object({ type, id, username, createdAt, usedAt, expiresAt, address, device, host }) {
    return { type, id, username, createdAt, usedAt, expiresAt, address, device, host };
  },
});

async function* listedOf(
  store: OpenStore,
  seals: Seals,
  user: StoredUser | undefined,
): AsyncGenerator<readonly Listed[], void, undefined> {
  const { sessions, users, devices } = store;
  const now = new Date();
  for await (const page of user === undefined
    ? pagesOf(sessions.read)
    : [await sessions.listOf(user.id, now, MAX_OF_USER)]) {
    const alive = page.filter(({ expiresAt }) => expiresAt > now);
    yield alive.map((session) => ({ type: "session", ...session }));
  }
  const clock = { now: () => now.getTime() };
  for await (const page of user === undefined ? pagesOf(users.read) : [[user]]) {
    for (const { id } of page) {
      const remembered = await listDevices({ store, devices, seals, clock }, id);
      yield remembered.map((device) => ({ type: "device", ...device }));
    }
  }
}

async function* named(
  { users }: OpenStore,
  pages: AsyncIterable<readonly Listed[]>,
): AsyncGenerator<readonly Row[], void, undefined> {
  const names = new Map<string, string>();
  for await (const page of pages) {
    for (const { userId } of page) {
      if (!names.has(userId)) names.set(userId, (await users.find(userId))?.username ?? "");
    }
    yield page.map((one) => ({ ...one, username: names.get(one.userId) ?? "" }));
  }
}
