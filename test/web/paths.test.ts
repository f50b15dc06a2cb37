import assert from "node:assert/strict";
import { test } from "node:test";
import { settleOptions } from "../../src/settle-options.ts";
import { pathsUnder } from "../../src/web/paths.ts";
import { openAuth } from "../support/auth.ts";
import { optionsWith } from "../support/options.ts";

test("no home page is at another path of Latchkey's", async (t) => {
  const { paths } = (await openAuth(t, { basePath: "/auth", people: true })).auth.adapter;
  for (const homePath of ["/auth/login/", ...[...paths].filter((path) => path !== "/auth")]) {
    const settling = () => settleOptions(optionsWith({ basePath: "/auth", homePath }));
    const message = /cannot be \/|is invalid: expected a path/;
    assert.throws(settling, { code: "invalid_option", message }, homePath);
  }
  for (const homePath of ["/login", "/auth/account", "/auth/account/", "/auth/", "/auth/logins"])
    settleOptions(optionsWith({ basePath: "/auth", homePath }));
});

test("the home page is also at /account/ only where a proxy may give / to an app", () => {
  const homes = (home: string | null, standalone: boolean) =>
    pathsUnder("", home, standalone).homes;
  assert.deepEqual(homes("/", true), ["/", "/account/"]);
  assert.deepEqual(homes("/", false), ["/"]);
  assert.deepEqual(homes("/me", true), ["/me"]);
  assert.deepEqual(homes(null, true), []);
});
