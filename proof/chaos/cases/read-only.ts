import { existsSync } from "node:fs";
import { eventually } from "../../../test/support/eventually.ts";
import { OWNER } from "../../../test/support/gate.ts";
import {
  addresses,
  changePassword,
  isChanged,
  isErrorPage,
  isSignedIn,
  setUp,
  signIn,
} from "../actions.ts";
import { type Case, type CaseContext, unless } from "../case.ts";
import { sqliteIn } from "../databases.ts";
import { NotStarted } from "../gate.ts";
import { judgeResponses } from "../judge/requests.ts";
import { freeze, mountReadOnly, thaw } from "../mounts.ts";
import { guardRequest, startProbe } from "../probe.ts";

const NEW_PASSWORD = "battery staple";

export const readOnly: Case = {
  name: "read-only",
  about: "the data folder is read-only, at the start or later",
  seconds: { short: 5, full: 5 },
  pace: "waits",
  async run(context) {
    await whileRunning(context);
    await atStart(context);
  },
};

/** Immutable files also affect the gate, which has them open. */
async function whileRunning(context: CaseContext): Promise<void> {
  const folder = await context.folder();
  const database = sqliteIn(folder);
  const gate = await context.startGate(folder);
  const session = await setUp(gate);
  await eventually(async () => (await database.log()).length === 1 || undefined);
  const files = [
    ...["", "-wal", "-shm"].map((end) => `${gate.databaseFile}${end}`).filter(existsSync),
    gate.dataDir,
  ];
  if (!(await freeze(files))) {
    return context.skip("a folder that becomes read-only: chattr +i is not permitted");
  }
  context.defer(() => thaw(files));
  const probe = startProbe(context, gate.url, () => guardRequest(session));
  const clients = addresses(1);
  const entered = await signIn(gate, OWNER.password, clients.next().value);
  const change = await changePassword(gate, session, OWNER.password, NEW_PASSWORD);
  const again = await signIn(gate, OWNER.password, clients.next().value);
  context.check(
    "guards keep working while the folder is read-only",
    judgeResponses(await probe.stop(), 1_000),
  );
  context.check("sign-ins keep working while the folder is read-only", [
    ...unless(isSignedIn(entered), `status ${entered.status}`),
    ...unless(isSignedIn(again), `status ${again.status} after the failed change`),
  ]);
  context.check(
    "a password change shows an error page while the folder is read-only",
    unless(isErrorPage(change), `status ${change.status}`),
  );
  context.check(
    "the server log reports the failed log entries",
    unless(await gate.logs(/log entries not written/), "no such line"),
  );
  await thaw(files);
  const later = await changePassword(gate, session, OWNER.password, NEW_PASSWORD);
  context.check(
    "when the folder is writable again, it works without a restart",
    unless(isChanged(later), `status ${later.status}`),
  );
  const count = async (): Promise<number> => (await database.log()).length;
  await eventually(async () => (await count()) >= 4 || undefined).catch(() => undefined);
  context.check(
    "no log entry is missing afterwards",
    unless((await count()) === 4, `${await count()} of 4`),
  );
  await gate.stop();
  context.check("the database is intact", await database.integrity());
}

/** Tests an empty folder and one with a database. */
async function atStart(context: CaseContext): Promise<void> {
  for (const what of ["in use", "empty"] as const) {
    const folder = await context.folder();
    if (what === "in use") {
      const gate = await context.startGate(folder);
      await setUp(gate);
      await gate.stop();
    }
    const mount = await mountReadOnly(folder.path);
    if (mount === undefined) {
      return context.skip("a start on a read-only folder: mounting needs root");
    }
    context.defer(() => mount.remove());
    const settings = { DATA_DIR: `${mount.path}/data` };
    const failure = await context.startGate(folder, { settings }).catch((error) => error);
    context.check(
      `a start on a read-only folder (${what}) fails with the reason in one line`,
      problemsOf(failure, mount.path),
    );
    if (failure instanceof NotStarted) context.say(failure.output.trim());
  }
}

function problemsOf(failure: unknown, path: string): readonly string[] {
  if (!(failure instanceof NotStarted)) return ["the gate starts"];
  const { output, ended } = failure;
  const [line = "", ...more] = output
    .trim()
    .split("\n")
    .filter((one) => !one.startsWith("{"));
  return [
    ...unless(ended.code === 1, `the exit status is ${ended.code ?? ended.signal}`),
    ...unless(line.includes(path) && /read-only/i.test(line), `the output is: ${line}`),
    ...unless(more.length === 0, `further lines: ${more.join(" ")}`),
  ];
}
