import assert from "node:assert/strict";
import { test } from "node:test";
import { findWeakSecrets } from "../../src/identity/secrets.ts";
import { outputOf } from "../support/command.ts";

test("prints 32 random bytes on one line, in letters that shells keep", async () => {
  const secrets = await Promise.all([outputOf(["secret"]), outputOf(["secret"])]);
  for (const secret of secrets) {
    assert.match(secret, /^[\w-]{43}\n$/);
    assert.equal(Buffer.from(secret, "base64url").length, 32);
    assert.deepEqual(findWeakSecrets({ secret: secret.trimEnd(), previousSecrets: [] }), []);
  }
  assert.notEqual(secrets[0], secrets[1]);
});
