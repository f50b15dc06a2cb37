import assert from "node:assert/strict";
import { test } from "node:test";
import { hash as argon2 } from "@node-rs/argon2";
import { hash as bcrypt } from "@node-rs/bcrypt";
import { Fault, Unavailable } from "../../src/core/fault.ts";
import { createPasswords } from "../../src/core/passwords.ts";
import { hashText } from "../support/store.ts";

const passwords = createPasswords({ atOnce: 1, waiting: 8 });

test("hashes with argon2id, 19 MiB, two passes, one lane and a new salt, in PHC form", async () => {
  const form = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$([A-Za-z0-9+/]{22})\$[A-Za-z0-9+/]{43}$/;
  const first = form.exec(await passwords.hash("correct horse"));
  const second = form.exec(await passwords.hash("correct horse"));
  assert.ok(first && second);
  assert.notEqual(first[1], second[1]);
});

const distinct: readonly (readonly [string, string, string])[] = [
  ["a changed letter", "correct horse", "correct horsf"],
  ["the case of a letter", "correct horse", "Correct horse"],
  ["a space at the end", "correct horse", "correct horse "],
  ["what follows a NUL", "correct\0horse", "correct\0house"],
  ["a NUL at the end", "correct horse", "correct horse\0"],
  ["composed and decomposed letters", "caf\u00e9", "cafe\u0301"],
  ["what looks the same", "paypal", "p\u0430ypal"],
  ["one emoji for another", "pass 🔑", "pass 🔒"],
  ["what comes after 72 bytes", `${"x".repeat(72)}1`, `${"x".repeat(72)}2`],
  ["nothing and something", "", "\0"],
];

for (const [what, password, other] of distinct) {
  test(`verifies only the unchanged password: ${what}`, async () => {
    const hash = await passwords.hash(password);
    assert.equal(await passwords.verify(password, hash), true);
    assert.equal(await passwords.verify(other, hash), false);
  });
}

for (const kind of ["2a", "2b", "2y"]) {
  test(`a bcrypt hash of the kind $${kind}$ is verified`, async () => {
    const hash = hashText((await bcrypt("correct horse", 4)).replace(/^\$2.\$/, `$${kind}$`));
    assert.match(hash, new RegExp(`^\\$${kind}\\$`));
    assert.equal(await passwords.verify("correct horse", hash), true);
    assert.equal(await passwords.verify("correct house", hash), false);
  });
}

test("verifies a bcrypt hash of another library", async () => {
  const hash = hashText("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW");
  assert.equal(await passwords.verify("U*U", hash), true);
  assert.equal(await passwords.verify("U*V", hash), false);
});

test("verifies an argon2 hash of another cost", async () => {
  const hash = hashText(await argon2("correct horse", { memoryCost: 1_024, timeCost: 3 }));
  assert.equal(await passwords.verify("correct horse", hash), true);
  assert.equal(await passwords.verify("correct house", hash), false);
});

test("reports every hash of another kind or cost as outdated", async () => {
  assert.equal(passwords.isOutdated(await passwords.hash("x")), false);
  const outdated = [
    await bcrypt("x", 4),
    await argon2("x", { memoryCost: 1_024, timeCost: 2, parallelism: 1 }),
    await argon2("x", { memoryCost: 19_456, timeCost: 1, parallelism: 1 }),
    await argon2("x", { memoryCost: 19_456, timeCost: 2, parallelism: 2 }),
    (await passwords.hash("x")).replace("$argon2id$", "$argon2i$"),
  ];
  for (const hash of outdated) assert.equal(passwords.isOutdated(hashText(hash)), true, hash);
});

for (const hash of ["", "correct horse", "$1$salt$digest", "$pbkdf2-sha256$x", "{SSHA}x"]) {
  test(`a stored hash of an unknown kind is a fault, not a wrong password: ${hash || "empty"}`, async () => {
    await assert.rejects(passwords.verify("correct horse", hashText(hash)), (error) => {
      assert.ok(error instanceof Fault);
      assert.equal(error.code, "unknown_password_hash");
      assert.match(error.message, /unknown format/);
      assert.ok(hash === "" || !error.message.includes(hash), "the message does not tell the hash");
      return true;
    });
  });
}

/** Processor time of this process in all its threads: unlike the clock, it ignores the neighbours. */
async function costOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

test("takes as long for an unknown user as for a known one", async () => {
  const hash = await passwords.hash("correct horse");
  assert.equal(await passwords.verify("correct horse", undefined), false);
  assert.equal(await passwords.verify("", undefined), false);
  const known: number[] = [];
  const unknown: number[] = [];
  for (let i = 0; i < 12; i += 1) {
    known.push(await costOf(() => passwords.verify("correct house", hash)));
    unknown.push(await costOf(() => passwords.verify("correct house", undefined)));
  }
  // The cheapest of each: whatever else the machine does can only add to the cost.
  const ratio = Math.min(...unknown) / Math.min(...known);
  assert.ok(ratio > 0.6 && ratio < 1.7, `unknown users cost ${ratio} of known ones`);
});

test("shares the limits between hashing and verifying, and throws Unavailable beyond them", async () => {
  const bounded = createPasswords({ atOnce: 1, waiting: 1 });
  const hashing = bounded.hash("one");
  const verifying = bounded.verify("two", undefined);
  await assert.rejects(bounded.hash("three"), Unavailable);
  await assert.rejects(bounded.verify("four", undefined), Unavailable);
  assert.equal(await verifying, false);
  assert.equal(await bounded.verify("one", await hashing), true);
});
