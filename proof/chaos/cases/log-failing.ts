import { execute, refuse, stopRefusing } from "../../../test/support/database.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { OWNER } from "../../../test/support/gate.ts";
import { type Case, type Stage, unless } from "../case.ts";
import { inMs } from "../judge/requests.ts";
import { sqliteIn } from "../stores.ts";
import { addresses, changePassword, isChanged, isSignedIn, setUp, signIn } from "../visits.ts";

/** How the table fails, and how that is mended. */
const ways: Readonly<Record<string, { breaks(file: string): void; mends(file: string): void }>> = {
  "refused entries": {
    breaks: (file) => refuse(file, "INSERT ON log_entries", "broken on purpose"),
    mends: stopRefusing,
  },
  "was gone": {
    breaks: (file) => execute(file, "ALTER TABLE log_entries RENAME TO away"),
    mends: (file) => execute(file, "ALTER TABLE away RENAME TO log_entries"),
  },
};

/** What is done while it fails, and what the log has to say of it afterwards. */
const EXPECTED = ["signup", "signin", "password_change", "signin"];

export const logFailing: Case = {
  name: "log-failing",
  about: "the table of log entries refuses them, or is gone, and comes back",
  seconds: { short: 5, full: 5 },
  pace: "waits",
  async run(stage) {
    for (const way of Object.keys(ways)) await fails(stage, way);
  },
};

async function fails(stage: Stage, way: string): Promise<void> {
  const { breaks, mends } = ways[way] ?? { breaks() {}, mends() {} };
  const folder = await stage.folder();
  const ground = sqliteIn(folder);
  const gate = await stage.startGate(folder);
  const clients = addresses(1);
  breaks(gate.databaseFile);
  const session = await setUp(gate).catch(() => undefined);
  const first = await signIn(gate, OWNER.password, clients.next().value);
  const change = await changePassword(gate, session ?? "", OWNER.password, "battery staple");
  const second = await signIn(gate, "battery staple", clients.next().value);
  stage.promise(`setup, sign-in and password change work while it ${way}`, [
    ...unless(session !== undefined, "no setup"),
    ...unless(isSignedIn(first), `sign-in: ${first.status}`),
    ...unless(isChanged(change), `password change: ${change.status}`),
    ...unless(isSignedIn(second), `sign-in with the new password: ${second.status}`),
  ]);
  stage.promise(
    `the server log says so while it ${way}`,
    unless(await gate.says(/log entries not written/), "it does not"),
  );
  mends(gate.databaseFile);
  const start = performance.now();
  const types = async (): Promise<readonly string[]> =>
    (await ground.log()).map(({ type }) => type);
  await eventually(async () => (await types()).length >= EXPECTED.length || undefined).catch(
    () => undefined,
  );
  stage.figure(
    `after it ${way}, and is mended, all entries are there after`,
    inMs(performance.now() - start),
  );
  const found = await types();
  stage.promise(
    `nothing is missing in the log after it ${way}, in order`,
    unless(found.join() === EXPECTED.join(), found.join()),
  );
}
