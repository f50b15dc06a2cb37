import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { getErrorCode } from "../../../src/lib/fault.ts";
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
import type { Gate } from "../gate.ts";
import { inMs, judgeResponses } from "../judge/requests.ts";
import { mountSmallDisk } from "../mounts.ts";
import { guardRequest, startProbe } from "../probe.ts";

const DISK_BYTES = 6 * 2 ** 20;
const SIGN_INS = 5;
const NEW_PASSWORD = "battery staple";

export const diskFull: Case = {
  name: "disk-full",
  about: "the disk is full, then has space again",
  seconds: { short: 5, full: 5 },
  pace: "waits",
  async run(context) {
    const disk = await mountSmallDisk(DISK_BYTES);
    if (disk === undefined) return context.skip("a full disk: mounting needs root");
    context.defer(() => disk.remove());
    const folder = await context.folder();
    const dataDir = join(disk.path, "data");
    const gate = await context.startGate(folder, { settings: { DATA_DIR: dataDir } });
    const database = sqliteIn(folder, dataDir);
    const filler = join(disk.path, "filler");

    fill(filler);
    const setUpFull = await gate.send("/setup", {
      form: { ...OWNER, confirm: OWNER.password },
    });
    context.check(
      "setup on a full disk shows an error page and creates no account",
      unless(
        isErrorPage(setUpFull) && (await database.users()) === 0,
        `${setUpFull.status}, ${await database.users()} accounts`,
      ),
    );
    rmSync(filler);
    const session = await setUp(gate);
    await eventually(async () => (await database.log()).length === 1 || undefined);

    fill(filler);
    await whileFull(context, gate, session);
    rmSync(filler);
    await afterwards(context, gate, session, database);
  },
};

/** Fills the disk to the last byte. */
function fill(file: string): void {
  const descriptor = openSync(file, "w");
  try {
    for (let size = 2 ** 20; size >= 1; ) {
      try {
        if (writeSync(descriptor, Buffer.alloc(size)) < size) size = Math.floor(size / 2);
      } catch (error) {
        if (getErrorCode(error) !== "ENOSPC") throw error;
        size = Math.floor(size / 2);
      }
    }
  } finally {
    closeSync(descriptor);
  }
}

async function whileFull(context: CaseContext, gate: Gate, session: string): Promise<void> {
  const probe = startProbe(context, gate.url, () => guardRequest(session));
  const clients = addresses(1);
  const signIns = [];
  for (let count = 0; count < SIGN_INS; count += 1) {
    signIns.push(await signIn(gate, OWNER.password, clients.next().value));
  }
  const change = await changePassword(gate, session, OWNER.password, NEW_PASSWORD);
  const old = await signIn(gate, OWNER.password, clients.next().value);
  context.check("guards keep working", judgeResponses(await probe.stop(), 1_000));
  context.check(
    "sign-ins, which need no disk space, keep working",
    signIns.filter((answer) => !isSignedIn(answer)).map(({ status }) => `status ${status}`),
  );
  context.check("a password change shows an error page and changes nothing", [
    ...unless(isErrorPage(change), `status ${change.status}`),
    ...unless(isSignedIn(old), "the old password does not work"),
  ]);
  context.check(
    "the server log reports the failed log entries",
    unless(await gate.logs(/log entries not written/), "no such line"),
  );
  context.figure("status of a password change", String(change.status));
}

async function afterwards(
  context: CaseContext,
  gate: Gate,
  session: string,
  database: ReturnType<typeof sqliteIn>,
): Promise<void> {
  const start = performance.now();
  const change = await changePassword(gate, session, OWNER.password, NEW_PASSWORD);
  context.check(
    "with space again, it works without a restart",
    unless(isChanged(change), `status ${change.status}`),
  );
  const expected = ["signup", ...Array<string>(SIGN_INS + 1).fill("signin"), "password_change"];
  const types = await eventually(async () => {
    const log = await database.log();
    return log.length >= expected.length ? log.map(({ type }) => type) : undefined;
  }).catch(async () => (await database.log()).map(({ type }) => type));
  context.figure("the log is complete after", inMs(performance.now() - start));
  context.check(
    "the log is complete and in order",
    unless(types.join() === expected.join(), types.join()),
  );
  const { code } = await gate.stop();
  context.check("the database is intact", [
    ...(await database.integrity()),
    ...unless(code === 0, `the gate exited with ${code}`),
  ]);
}
