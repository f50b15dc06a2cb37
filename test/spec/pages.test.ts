import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { startGate } from "../support/gate.ts";
import { partsOf } from "../support/mint.ts";
import { tempDir } from "../support/temp-dir.ts";

const SHOW =
  "<%~ JSON.stringify({ NeedsSetup: it.NeedsSetup, HasError: it.HasError, CurrentUser: it.CurrentUser ?? null }) %>";

/** A gate whose pages show only the helpers that they receive. */
async function startShowing(t: TestContext) {
  const pagesDir = await tempDir(t);
  for (const name of ["login", "setup", "home", "error"]) {
    await writeFile(join(pagesDir, `${name}.eta`), SHOW);
  }
  const gate = await startGate(t, { pagesDir });
  const helpers = async (path: string, session?: string) =>
    JSON.parse((await gate.send(path, { session })).body);
  return { gate, helpers };
}

test("NeedsSetup is true on every page while no account exists", async (t) => {
  const { gate, helpers } = await startShowing(t);
  for (const path of ["/login", "/setup", "/nothing"]) {
    assert.equal((await helpers(path)).NeedsSetup, true, path);
  }
  const session = await gate.setUp();
  for (const path of ["/login", "/", "/nothing"]) {
    assert.equal((await helpers(path, session)).NeedsSetup, false, path);
  }
});

test("HasError is true on every page if the query has a non-empty error", async (t) => {
  const { helpers } = await startShowing(t);
  for (const path of ["/login", "/setup", "/nothing"]) {
    for (const query of ["?error=1", "?error=0", "?a=b&error=x", "?error=%20"]) {
      assert.equal((await helpers(path + query)).HasError, true, path + query);
    }
    for (const query of ["", "?error=", "?error", "?Error=1", "?errors=1"]) {
      assert.equal((await helpers(path + query)).HasError, false, path + query);
    }
  }
});

test("CurrentUser is the signed-in user without the hash, or null, on every page", async (t) => {
  const { gate, helpers } = await startShowing(t);
  const session = await gate.setUp();
  const { user_id: id } = partsOf(session).claims;
  const user = { id, username: "owner", groups: ["admins"] };
  for (const path of ["/login", "/", "/nothing"]) {
    assert.deepEqual((await helpers(path, session)).CurrentUser, user, path);
  }
  for (const path of ["/login", "/nothing"]) {
    assert.equal((await helpers(path)).CurrentUser, null, path);
    assert.equal((await helpers(path, "nonsense")).CurrentUser, null, path);
  }
});
