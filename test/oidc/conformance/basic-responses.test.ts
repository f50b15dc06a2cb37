import assert from "node:assert/strict";
import { signIn } from "../sign-in.ts";
import { module } from "./both.ts";

module("oidcc-server", "signs a person in, and returns valid tokens", async (provider) => {
  const [app, person] = [await provider.addApp(), await provider.addPerson()];
  const { claims, tokens } = await signIn(provider.openBrowser(), app, person);
  assert.equal(claims.sub, person.id);
  assert.equal(tokens.token_type, "bearer");
});
