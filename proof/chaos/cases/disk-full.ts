import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../../../src/core/fault.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { OWNER } from "../../../test/support/gate.ts";
import { type Case, type Stage, unless } from "../case.ts";
import type { Gate } from "../gate.ts";
import { inMs, judgeAnswers } from "../judge/requests.ts";
import { mountSmallDisk } from "../mounts.ts";
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

const DISK_BYTES = 6 * 2 ** 20;
const SIGN_INS = 5;
const NEW_PASSWORD = "battery staple";

export const diskFull: Case = {
  name: "disk-full",
  about: "the disk of the data folder is full, and has room again",
  seconds: { short: 5, full: 5 },
  pace: "waits",
  async run(stage) {
    const disk = await mountSmallDisk(DISK_BYTES);
    if (disk === undefined) return stage.leaveOut("a small disk: mounting takes root");
    stage.defer(() => disk.remove());
    const folder = await stage.folder();
    const dataDir = join(disk.path, "data");
    const gate = await stage.startGate(folder, { settings: { DATA_DIR: dataDir } });
    const ground = sqliteIn(folder, dataDir);
    const filler = join(disk.path, "filler");

    fill(filler);
    const setUpFull = await gate.send("/setup", {
      form: { ...OWNER, confirm: OWNER.password },
    });
    stage.promise(
      "setup on a full disk is an error page and makes no account",
      unless(
        isErrorPage(setUpFull) && (await ground.users()) === 0,
        `${setUpFull.status}, ${await ground.users()} accounts`,
      ),
    );
    rmSync(filler);
    const session = await setUp(gate);
    await eventually(async () => (await ground.log()).length === 1 || undefined);

    fill(filler);
    await whileFull(stage, gate, session);
    rmSync(filler);
    await afterwards(stage, gate, session, ground);
  },
};

/** To the last byte. */
function fill(file: string): void {
  const descriptor = openSync(file, "w");
  try {
    for (let size = 2 ** 20; size >= 1; ) {
      try {
        if (writeSync(descriptor, Buffer.alloc(size)) < size) size = Math.floor(size / 2);
      } catch (error) {
        if (codeOf(error) !== "ENOSPC") throw error;
        size = Math.floor(size / 2);
      }
    }
  } finally {
    closeSync(descriptor);
  }
}

async function whileFull(stage: Stage, gate: Gate, session: string): Promise<void> {
  const probe = startProbe(stage, gate.url, () => guardRequest(session));
  const clients = addresses(1);
  const signIns = [];
  for (let count = 0; count < SIGN_INS; count += 1) {
    signIns.push(await signIn(gate, OWNER.password, clients.next().value));
  }
  const change = await changePassword(gate, session, OWNER.password, NEW_PASSWORD);
  const old = await signIn(gate, OWNER.password, clients.next().value);
  stage.promise("guards go on", judgeAnswers(await probe.stop(), 1_000));
  stage.promise(
    "sign-ins, which need no room, go on",
    signIns.filter((answer) => !isSignedIn(answer)).map(({ status }) => `answered ${status}`),
  );
  stage.promise("a password change is an error page and changes nothing", [
    ...unless(isErrorPage(change), `answered ${change.status}`),
    ...unless(isSignedIn(old), "the old password does not open"),
  ]);
  stage.promise(
    "the server log says that entries could not be written",
    unless(await gate.says(/log entries not written/), "it does not"),
  );
  stage.figure("a password change is answered with", String(change.status));
}

async function afterwards(
  stage: Stage,
  gate: Gate,
  session: string,
  ground: ReturnType<typeof sqliteIn>,
): Promise<void> {
  const start = performance.now();
  const change = await changePassword(gate, session, OWNER.password, NEW_PASSWORD);
  stage.promise(
    "with room again it works, without a restart",
    unless(isChanged(change), `answered ${change.status}`),
  );
  const expected = ["signup", ...Array<string>(SIGN_INS + 1).fill("signin"), "password_change"];
  const types = await eventually(async () => {
    const log = await ground.log();
    return log.length >= expected.length ? log.map(({ type }) => type) : undefined;
  }).catch(async () => (await ground.log()).map(({ type }) => type));
  stage.figure("the log is complete after", inMs(performance.now() - start));
  stage.promise(
    "the log misses nothing, in order",
    unless(types.join() === expected.join(), types.join()),
  );
  const { code } = await gate.stop();
  stage.promise("the database is sound", [
    ...(await ground.integrity()),
    ...unless(code === 0, `the gate ended with ${code}`),
  ]);
}
