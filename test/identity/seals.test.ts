import assert from "node:assert/strict";
import { test } from "node:test";
import { createSeals } from "../../src/identity/seals.ts";

const CONTENT = Buffer.from("what nobody else may read");
const seals = createSeals("a secret");

test("opens what it has sealed, for the same purpose only", () => {
  for (const content of [CONTENT, Buffer.of()]) {
    const sealed = seals.seal(content, "one");
    assert.deepEqual(seals.open(sealed, "one"), content);
    assert.equal(seals.open(sealed, "other"), undefined);
  }
});

test("seals the same content differently each time and hides it", () => {
  const all = [seals.seal(CONTENT, "one"), seals.seal(CONTENT, "one")];
  assert.notEqual(all[0], all[1]);
  for (const one of all) {
    assert.equal(Buffer.from(one, "base64url").includes(CONTENT.subarray(0, 8)), false);
  }
});

test("opens what a previous secret has sealed, and seals with the current one", () => {
  const rotated = createSeals("a new secret", ["unused", "a secret"]);
  assert.deepEqual(rotated.open(seals.seal(CONTENT, "one"), "one"), CONTENT);
  assert.equal(seals.open(rotated.seal(CONTENT, "one"), "one"), undefined);
  assert.equal(createSeals("another").open(seals.seal(CONTENT, "one"), "one"), undefined);
});

test("opens what an earlier version has sealed", () => {
  const sealed = "MFCEvCIdNTDUQUTCLa6Lyczs9kxMFFR2DawN6CBfmP_F4n9yyF0KyBI6jP6BeeIa5gh-2_s";
  assert.deepEqual(seals.open(sealed, "one"), CONTENT);
});

test("opens nothing that was changed or cut", () => {
  const sealed = Buffer.from(seals.seal(CONTENT, "one"), "base64url");
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.equal(seals.open(changed.toString("base64url"), "one"), undefined, `byte ${at}`);
    const cut = sealed.subarray(0, at).toString("base64url");
    assert.equal(seals.open(cut, "one"), undefined, `${at} bytes`);
  }
});
