import assert from "node:assert/strict";
import { test } from "node:test";
import { changePassword } from "../../src/core/change-password.ts";
import { createPasswords } from "../../src/core/passwords.ts";
import { signIn } from "../../src/core/sign-in.ts";
import { corePorts } from "../support/core-ports.ts";
import { OWNER } from "../support/gate.ts";
import { recordingLog } from "../support/recording-log.ts";
import { hashText } from "../support/store.ts";

const DIGEST = "nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";

/** Each would take minutes, or more memory than there is. */
const hashes = {
  argon2: `$argon2id$v=19$m=4294967295,t=4294967295,p=1$c29tZXNhbHQ$${DIGEST}`,
  bcrypt: "$2b$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
  scrypt: `$scrypt$ln=40,r=8,p=1$c29tZXNhbHQ$${DIGEST}`,
};

for (const [kind, hash] of Object.entries(hashes)) {
  test(`${kind} with an absurd cost does not match, and the warning does not contain the hash`, async () => {
    const log = recordingLog();
    const passwords = createPasswords({ atOnce: 1, waiting: 0 }, log);
    assert.equal(await passwords.verify("correct horse", hashText(hash)), false);
    assert.deepEqual(
      log.lines.map(({ level }) => level),
      ["warn"],
    );
    const [line] = log.lines;
    assert.match(line?.message ?? "", /too much memory or time/);
    assert.ok(!JSON.stringify(line).includes(hash.slice(-20)));
  });
}

test("logs nothing for an affordable hash or an unknown user", async () => {
  const log = recordingLog();
  const passwords = createPasswords({ atOnce: 1, waiting: 0 }, log);
  assert.equal(
    await passwords.verify("correct horse", await passwords.hash("correct horse")),
    true,
  );
  assert.equal(await passwords.verify("correct horse", undefined), false);
  assert.deepEqual(log.lines, []);
});

test("rejects a sign-in with a too costly hash like a wrong password", async (t) => {
  const ports = await corePorts(t);
  await ports.insertOwner(hashText(hashes.bcrypt));
  const attempt = { ...OWNER, remoteAddress: "192.0.2.1" };
  assert.deepEqual(await signIn(ports, attempt), { kind: "rejected" });
  assert.deepEqual(await ports.writtenEntries(), []);
});

test("rejects any current password with a too costly hash", async (t) => {
  const ports = await corePorts(t);
  const owner = await ports.insertOwner(hashText(hashes.argon2));
  const fields = { newPassword: "correct horse 2", confirmPassword: "correct horse 2" };
  const form = { ...fields, currentPassword: OWNER.password };
  const outcome = await changePassword(ports, owner.id, form, { remoteAddress: "192.0.2.1" });
  assert.deepEqual(outcome, { kind: "current-password-incorrect" });
});

/** Processor time of this process in all its threads. */
async function costOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

test("takes as long for a too costly hash as for an unknown user", async () => {
  const passwords = createPasswords({ atOnce: 1, waiting: 0 });
  const costs: { costly: number[]; unknown: number[] } = { costly: [], unknown: [] };
  for (let i = 0; i < 12; i += 1) {
    costs.costly.push(await costOf(() => passwords.verify("x", hashText(hashes.scrypt))));
    costs.unknown.push(await costOf(() => passwords.verify("x", undefined)));
  }
  // The cheapest of each: whatever else the machine does can only add to the cost.
  const ratio = Math.min(...costs.costly) / Math.min(...costs.unknown);
  assert.ok(ratio > 0.6 && ratio < 1.7, `it costs ${ratio} of an unknown user`);
});
