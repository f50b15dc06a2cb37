import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeHash, toPhcString, verifyScrypt } from "../../src/identity/password-cost.ts";
import { createPasswords } from "../../src/identity/passwords.ts";
import { hashText } from "../support/store.ts";

const base64 = (bytes: Buffer): string => bytes.toString("base64").replaceAll("=", "");

/** RFC 7914, section 12. */
const PUBLISHED = Buffer.from(
  "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640",
  "hex",
);
const NACL = `$scrypt$ln=10,r=8,p=16$${base64(Buffer.from("NaCl"))}$${base64(PUBLISHED)}`;

test("verifies only the password of the published example, also with base64 padding", async () => {
  const [, , costs = "", salt = "", digest = ""] = NACL.split("$");
  for (const hash of [NACL, `$scrypt$${costs}$${salt}==$${digest}==`])
    assert.equal(await verifyScrypt(hash, "password"), true);
  for (const password of ["Password", "password ", ""]) {
    assert.equal(await verifyScrypt(NACL, password), false, JSON.stringify(password));
  }
});

/** Made by better-auth 1.7.25 for "correct horse battery". */
const BETTER_AUTH =
  "4b2b370c745420c116b7ae6cf1b8f01b:7fb22a4bb60d1d7762bad18e34565d055c79ba344713b80beb42ee1c575a076d6114eb6185b25b06322a8c4ec87fead4b5c6e115219c038572f4fd0d994e5f70";

test("verifies a hash of better-auth, and leaves others as they are", async () => {
  const hash = toPhcString(BETTER_AUTH);
  assert.equal(judgeHash(hash), "usable");
  assert.equal(await verifyScrypt(hash, "correct horse battery"), true);
  assert.equal(await verifyScrypt(hash, "correct horse batterz"), false);
  for (const other of [NACL, `${BETTER_AUTH}0`, `0${BETTER_AUTH}`, ""]) {
    assert.equal(toPhcString(other), other);
  }
});

test("rejects another salt, cost or digest, and text that only contains a hash", async () => {
  const others = [
    ...[`x${NACL}`, `${NACL}$`, `${NACL}\n`, "$scrypt$", ""],
    NACL.replace("ln=10", "ln=9"),
    NACL.replace("p=16", "p=15"),
    NACL.replace(base64(Buffer.from("NaCl")), base64(Buffer.from("NaCk"))),
    `${NACL.slice(0, -2)}AA`,
  ];
  for (const other of others) assert.equal(await verifyScrypt(other, "password"), false, other);
});

test("verifies a hash that needs more memory than Node's default", async () => {
  const large = `$scrypt$ln=17,r=8,p=1$c29tZXNhbHQ$${base64(PUBLISHED)}`;
  assert.equal(await verifyScrypt(large, "password"), false);
});

test("passwords are verified by a scrypt hash without blocking the event loop", async () => {
  const passwords = createPasswords({ atOnce: 1, waiting: 0 });
  assert.equal(await passwords.verify("password", hashText(NACL)), true);
  let turns = 0;
  let over = false;
  const verified = passwords
    .verify("password", hashText(NACL.replace("ln=10", "ln=14")))
    .finally(() => {
      over = true;
    });
  while (!over) {
    turns += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(await verified, false);
  assert.ok(turns > 100, `${turns} turns of the event loop`);
});
