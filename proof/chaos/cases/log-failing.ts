import { execute, refuse, stopRefusing } from "../../../test/support/database.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { OWNER } from "../../../test/support/gate.ts";
import { addresses, changePassword, isChanged, isSignedIn, setUp, signIn } from "../actions.ts";
import { type Case, type CaseContext, unless } from "../case.ts";
import { sqliteIn } from "../databases.ts";
import { inMs } from "../judge/requests.ts";

/** How the table fails, and how it is repaired. */
const ways: Readonly<Record<string, { breaks(file: string): void; repairs(file: string): void }>> =
  {
    "rejected entries": {
      breaks: (file) => refuse(file, "INSERT ON latchkey_log", "broken on purpose"),
      repairs: stopRefusing,
    },
    "was missing": {
      breaks: (file) => execute(file, "ALTER TABLE latchkey_log RENAME TO away"),
      repairs: (file) => execute(file, "ALTER TABLE away RENAME TO latchkey_log"),
    },
  };

/** The entries that must be in the log afterwards. */
const EXPECTED = ["signup", "signin", "password_change", "signin"];

export const logFailing: Case = {
  name: "log-failing",
  about: "the log table rejects entries or is missing",
  seconds: { short: 5, full: 5 },
  pace: "waits",
  async run(context) {
    for (const way of Object.keys(ways)) await testFailure(context, way);
  },
};

async function testFailure(context: CaseContext, way: string): Promise<void> {
  const { breaks, repairs } = ways[way] ?? { breaks() {}, repairs() {} };
  const folder = await context.folder();
  const database = sqliteIn(folder);
  const gate = await context.startGate(folder);
  const clients = addresses(1);
  breaks(gate.databaseFile);
  const session = await setUp(gate).catch(() => undefined);
  const first = await signIn(gate, OWNER.password, clients.next().value);
  const change = await changePassword(gate, session ?? "", OWNER.password, "battery staple");
  const second = await signIn(gate, "battery staple", clients.next().value);
  context.check(`setup, sign-in and password change work while the table ${way}`, [
    ...unless(session !== undefined, "the setup failed"),
    ...unless(isSignedIn(first), `sign-in: ${first.status}`),
    ...unless(isChanged(change), `password change: ${change.status}`),
    ...unless(isSignedIn(second), `sign-in with the new password: ${second.status}`),
  ]);
  context.check(
    `the server log reports that the table ${way}`,
    unless(await gate.logs(/log entries not written/), "no such line"),
  );
  repairs(gate.databaseFile);
  const start = performance.now();
  const types = async (): Promise<readonly string[]> =>
    (await database.log()).map(({ type }) => type);
  await eventually(async () => (await types()).length >= EXPECTED.length || undefined).catch(
    () => undefined,
  );
  context.figure(
    `after the table ${way}: time until the log is complete`,
    inMs(performance.now() - start),
  );
  const found = await types();
  context.check(
    `the log is complete and in order after the table ${way}`,
    unless(found.join() === EXPECTED.join(), found.join()),
  );
}
