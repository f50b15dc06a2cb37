import assert from "node:assert/strict";
import { test } from "node:test";
import { hash as argon2 } from "@node-rs/argon2";
import { hash as bcrypt } from "@node-rs/bcrypt";
import { NO_PASSWORD, type PasswordHash, UNSET_PASSWORD } from "../../src/db/records.ts";
import { createPasswords } from "../../src/identity/passwords.ts";
import { Unavailable } from "../../src/lib/fault.ts";
import { recordingLog } from "../support/recording-log.ts";
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
  ["the case of a letter", "correct horse", "Correct horse"],
  ["a space at the end", "correct horse", "correct horse "],
  ["what follows a NUL", "correct\0horse", "correct\0house"],
  ["composed and decomposed letters", "caf\u00e9", "cafe\u0301"],
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
  test(`verifies a bcrypt hash of another library, of the kind $${kind}$`, async () => {
    const hash = hashText(`$${kind}$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW`);
    assert.equal(await passwords.verify("U*U", hash), true);
    assert.equal(await passwords.verify("U*V", hash), false);
  });
}

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
    "$scrypt$ln=17,r=8,p=1$c29tZXNhbHQ",
  ];
  for (const hash of outdated) assert.equal(passwords.isOutdated(hashText(hash)), true, hash);
});

const DIGEST = "nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";

/** Each would take minutes, or more memory than there is. */
const costly = {
  argon2: `$argon2id$v=19$m=4294967295,t=4294967295,p=1$c29tZXNhbHQ$${DIGEST}`,
  bcrypt: "$2b$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
  scrypt: `$scrypt$ln=40,r=8,p=1$c29tZXNhbHQ$${DIGEST}`,
};

for (const [kind, hash] of Object.entries(costly)) {
  test(`${kind} with an absurd cost does not match, and is not logged`, async () => {
    const log = recordingLog();
    const warning = createPasswords({ atOnce: 1, waiting: 0 }, log);
    assert.equal(await warning.verify("correct horse", hashText(hash)), false);
    const [line, ...more] = log.lines;
    assert.equal(line?.level, "warn");
    assert.match(line.message, /too much memory or time/);
    assert.ok(!JSON.stringify(line).includes(hash.slice(-20)));
    assert.deepEqual(more, []);
  });
}

const ARGON2 = "$argon2id$v=19$m=19456,t=2,p=1$";
const SALT = "c29tZXNhbHRzb21lc2FsdA";

/** No password can be verified against any of them; an imported or damaged one can look so. */
const unreadable: readonly unknown[] = [
  ...["", "secret", "$1$salt$digest", "$argon2", ARGON2, `${ARGON2}${SALT}`, `${ARGON2}${SALT}$`],
  ...[`${ARGON2}${SALT}$${DIGEST.slice(1)}`, `${ARGON2}!$${DIGEST}`, `${ARGON2}$${DIGEST}`],
  ...["$2b$", "$2b$05$CCCC", "$2b$03$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"],
  ...["$scrypt$", `$scrypt$ln=0,r=8,p=1$${SALT}$${DIGEST}`, null, 7],
];

test("an unreadable stored hash is a wrong password, and is not logged", async () => {
  for (const hash of unreadable) {
    const log = recordingLog();
    const warning = createPasswords({ atOnce: 1, waiting: 0 }, log);
    assert.equal(await warning.verify("correct horse", hash as PasswordHash), false);
    const [line, ...more] = log.lines;
    assert.match(line?.message ?? "", /^a password was rejected: .* cannot be read \(reset/);
    assert.ok(!JSON.stringify(line).includes(String(hash || "?")), String(hash));
    assert.deepEqual(more, []);
  }
});

test("logs nothing for an affordable hash, or without one", async () => {
  const log = recordingLog();
  const warning = createPasswords({ atOnce: 1, waiting: 0 }, log);
  assert.equal(await warning.verify("correct horse", await warning.hash("correct horse")), true);
  for (const hash of [undefined, NO_PASSWORD, UNSET_PASSWORD])
    assert.equal(await warning.verify("correct horse", hash), false);
  assert.deepEqual(log.lines, []);
});

/** Processor time of this process in all its threads: unlike the clock, it ignores the neighbours. */
async function costOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

test("takes as long for an unknown user and for an unusable hash as for a known user", async () => {
  const hashes = {
    known: await passwords.hash("correct horse"),
    unknown: undefined,
    costly: hashText(costly.scrypt),
    unreadable: hashText(`${ARGON2}${SALT}$`),
  };
  // The cheapest of each: whatever else the machine does can only add to the cost.
  const least = { known: Infinity, unknown: Infinity, costly: Infinity, unreadable: Infinity };
  for (let round = 0; round < 12; round += 1) {
    for (const kind of ["known", "unknown", "costly", "unreadable"] as const) {
      const cost = await costOf(() => passwords.verify("correct house", hashes[kind]));
      least[kind] = Math.min(least[kind], cost);
    }
  }
  for (const kind of ["unknown", "costly", "unreadable"] as const) {
    const ratio = least[kind] / least.known;
    assert.ok(ratio > 0.6 && ratio < 1.7, `the ${kind} one costs ${ratio} of the known one`);
  }
});

test("shares the limits between hashing and verifying", async () => {
  const bounded = createPasswords({ atOnce: 1, waiting: 1 });
  const hashing = bounded.hash("one");
  const verifying = bounded.verify("two", undefined);
  await assert.rejects(bounded.hash("three"), Unavailable);
  await assert.rejects(bounded.verify("four", undefined), Unavailable);
  assert.equal(await verifying, false);
  assert.equal(await bounded.verify("one", await hashing), true);
});
