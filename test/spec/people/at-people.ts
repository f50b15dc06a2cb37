import type { TestContext } from "node:test";
import type { Answer, Sending } from "../../support/client.ts";
import { inDatabase, valuesOf } from "../../support/database.ts";
import { type RunningGate, startConfigured } from "../../support/gate.ts";
import { inSeconds, mint, partsOf } from "../../support/mint.ts";

export const PEOPLE = "/account/people";
export const LINKS = "/account/links";
const HOST = { Host: "auth.example.org", Accept: "text/html" };

/** The page of an account, by its ID. */
export const personPath = (id: string): string => `${PEOPLE}/${encodeURIComponent(id)}`;

/** A gate whose owner is an administrator, with the requests of one. */
export interface AtPeople {
  readonly gate: RunningGate;
  /** That of the owner. */
  readonly session: string;
  readonly ownId: string;
  open(path: string, sending?: Sending): Promise<Answer>;
  /** Posts a form of the page. */
  act(action: string, form: Readonly<Record<string, string>>, sending?: Sending): Promise<Answer>;
}

export async function atPeople(
  t: TestContext,
  settings: Parameters<typeof startConfigured>[1] = {},
): Promise<AtPeople> {
  const { gate, session } = await startConfigured(t, settings);
  const open: AtPeople["open"] = (path, sending) =>
    gate.send(path, { session, ...sending, headers: { ...HOST, ...sending?.headers } });
  return {
    ...{ gate, session, open, ownId: String(partsOf(session).claims.user_id) },
    act: (action, form, sending) => open(`${PEOPLE}/${action}`, { form, ...sending }),
  };
}

/** Adds an account with the ID `id of NAME`, and returns a session of a sign-in just now. */
export function addMember(
  { databaseFile }: RunningGate,
  name: string,
  ...groups: string[]
): string {
  const id = `id of ${name}`.slice(0, 100);
  const text = groups.length === 0 ? null : `,${groups.join(",")},`;
  inDatabase(databaseFile, (database) =>
    database
      .prepare(
        "INSERT INTO latchkey_users (id, username, password_hash, groups) VALUES (?, ?, 'a hash', ?)",
      )
      .run(id, name, text),
  );
  return mint({ user_id: id, jti: id, iat: inSeconds(0), exp: inSeconds(3_600) });
}

/** The users, by their names, with their groups. */
export const groupsIn = ({ databaseFile }: RunningGate): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    valuesOf(databaseFile, "SELECT username, groups FROM latchkey_users ORDER BY username"),
  );
