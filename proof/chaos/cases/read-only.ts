import { existsSync } from "node:fs";
import { eventually } from "../../../test/support/eventually.ts";
import { OWNER } from "../../../test/support/gate.ts";
import { type Case, type Stage, unless } from "../case.ts";
import { NotStarted } from "../gate.ts";
import { judgeAnswers } from "../judge/requests.ts";
import { freeze, mountReadOnly, thaw } from "../mounts.ts";
import { guardRequest, startProbe } from "../probe.ts";
import { sqliteIn } from "../stores.ts";
import {
  addresses,
  changePassword,
  isChanged,
  isErrorPage,
  isSignedIn,
  setUp,
  signIn,
} from "../visits.ts";

const NEW_PASSWORD = "battery staple";

export const readOnly: Case = {
  name: "read-only",
  about: "the data folder cannot be written, at the start and while the gate runs",
  seconds: { short: 5, full: 5 },
  pace: "waits",
  async run(stage) {
    await whileRunning(stage);
    await atStart(stage);
  },
};

/** The files are made unchangeable, which those who have them open meet, too. */
async function whileRunning(stage: Stage): Promise<void> {
  const folder = await stage.folder();
  const ground = sqliteIn(folder);
  const gate = await stage.startGate(folder);
  const session = await setUp(gate);
  await eventually(async () => (await ground.log()).length === 1 || undefined);
  const files = [
    ...["", "-wal", "-shm"].map((end) => `${gate.databaseFile}${end}`).filter(existsSync),
    gate.dataDir,
  ];
  if (!(await freeze(files))) {
    return stage.leaveOut("a folder that is read-only from now on: chattr +i is refused here");
  }
  stage.defer(() => thaw(files));
  const probe = startProbe(stage, gate.url, () => guardRequest(session));
  const clients = addresses(1);
  const entered = await signIn(gate, OWNER.password, clients.next().value);
  const change = await changePassword(gate, session, OWNER.password, NEW_PASSWORD);
  const again = await signIn(gate, OWNER.password, clients.next().value);
  stage.promise("guards go on while it is read-only", judgeAnswers(await probe.stop(), 1_000));
  stage.promise("sign-ins go on while it is read-only", [
    ...unless(isSignedIn(entered), `answered ${entered.status}`),
    ...unless(isSignedIn(again), `answered ${again.status}, after the change that failed`),
  ]);
  stage.promise(
    "a password change is an error page while it is read-only",
    unless(isErrorPage(change), `answered ${change.status}`),
  );
  stage.promise(
    "the server log says that entries could not be written",
    unless(await gate.says(/log entries not written/), "it does not"),
  );
  await thaw(files);
  const later = await changePassword(gate, session, OWNER.password, NEW_PASSWORD);
  stage.promise(
    "once it can be written again it works, without a restart",
    unless(isChanged(later), `answered ${later.status}`),
  );
  const count = async (): Promise<number> => (await ground.log()).length;
  await eventually(async () => (await count()) >= 4 || undefined).catch(() => undefined);
  stage.promise(
    "no log entry is missing afterwards",
    unless((await count()) === 4, `${await count()} of 4`),
  );
  await gate.stop();
  stage.promise("the database is sound", await ground.integrity());
}

/** An empty folder, and one that has been in use. */
async function atStart(stage: Stage): Promise<void> {
  for (const what of ["in use", "empty"] as const) {
    const folder = await stage.folder();
    if (what === "in use") {
      const gate = await stage.startGate(folder);
      await setUp(gate);
      await gate.stop();
    }
    const mount = await mountReadOnly(folder.path);
    if (mount === undefined) {
      return stage.leaveOut("a start on a read-only folder: mounting takes root");
    }
    stage.defer(() => mount.remove());
    const settings = { DATA_DIR: `${mount.path}/data` };
    const failure = await stage.startGate(folder, { settings }).catch((error) => error);
    stage.promise(
      `a start on a read-only folder that is ${what} fails, and says why in one line`,
      problemsOf(failure, mount.path),
    );
    if (failure instanceof NotStarted) stage.say(failure.said.trim());
  }
}

function problemsOf(failure: unknown, path: string): readonly string[] {
  if (!(failure instanceof NotStarted)) return ["it starts"];
  const { said, ended } = failure;
  const [line = "", ...more] = said
    .trim()
    .split("\n")
    .filter((one) => !one.startsWith("{"));
  return [
    ...unless(ended.code === 1, `it ends with ${ended.code ?? ended.signal}`),
    ...unless(line.includes(path) && /read-only/i.test(line), `it says: ${line}`),
    ...unless(more.length === 0, `it goes on: ${more.join(" ")}`),
  ];
}
