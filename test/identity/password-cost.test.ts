import assert from "node:assert/strict";
import { test } from "node:test";
import { type HashVerdict, judgeHash } from "../../src/identity/password-cost.ts";

const BCRYPT = "CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";
const TAIL = "$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";

const argon2 = (costs: string, kind = "argon2id"): string => `$${kind}$v=19$${costs}${TAIL}`;
const scrypt = (costs: string, tail = TAIL): string => `$scrypt$${costs}${tail}`;

const verdicts: Readonly<Record<HashVerdict, readonly string[]>> = {
  usable: [
    argon2("m=19456,t=2,p=1"),
    argon2("m=65536,t=3,p=4", "argon2i"),
    argon2("m=47104,t=1,p=1", "argon2d"),
    argon2("m=1048576,t=8,p=4"),
    `$argon2i$m=65536,t=2,p=1${TAIL}`,
    ...["2a", "2b", "2y"].map((kind) => `$${kind}$10$${BCRYPT}`),
    `$2b$04$${BCRYPT}`,
    `$2b$15$${BCRYPT}`,
    scrypt("ln=17,r=8,p=1"),
    scrypt("ln=16,r=8,p=2", `${TAIL}=`),
    scrypt("ln=19,r=8,p=1"),
  ],
  "too-costly": [
    argon2("m=1048577,t=1,p=1"),
    argon2("m=19456,t=432,p=1"),
    argon2("m=4294967295,t=4294967295,p=255"),
    `$2b$16$${BCRYPT}`,
    `$2y$99$${BCRYPT}`,
    scrypt("ln=20,r=8,p=1"),
    scrypt("ln=17,r=8,p=5"),
    scrypt("ln=99,r=1,p=1"),
    scrypt("ln=1,r=999999999,p=1"),
    scrypt("ln=1,r=1,p=999999999"),
  ],
  unknown: [
    "",
    "correct horse",
    "{SSHA}x",
    BCRYPT,
    `$2$10$${BCRYPT}`,
    `$2x$10$${BCRYPT}`,
    `$2$2b$10$${BCRYPT}`,
    `$2b$03$${BCRYPT}`,
    `$2b$10$${BCRYPT.slice(1)}`,
    `$2b$10$${BCRYPT}x`,
    `$2b$10$${BCRYPT}\n`,
    `$2b$1$${BCRYPT}`,
    argon2("m=19456,t=2,p=1", "argon2x"),
    argon2("m=4,t=2,p=1"),
    argon2("t=2"),
    "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ",
    "$argon2id",
    `x${scrypt("ln=17,r=8,p=1")}`,
    ...["$", "\n"].map((end) => scrypt("ln=17,r=8,p=1") + end),
    "$scrypt$",
    scrypt("ln=0,r=8,p=1"),
    scrypt("ln=17,r=8"),
    scrypt("n=17,r=8,p=1"),
    scrypt("ln=17,r=8,p=1", "$c29tZXNhbHQ"),
    scrypt("ln=17,r=8,p=1", "$c29tZXNhbHQ$short"),
    scrypt("ln=17,r=8,p=1", "$*$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"),
  ],
};

for (const [verdict, hashes] of Object.entries(verdicts)) {
  for (const hash of hashes) {
    test(`${verdict}: ${JSON.stringify(hash)}`, () => {
      assert.equal(judgeHash(hash), verdict);
    });
  }
}
