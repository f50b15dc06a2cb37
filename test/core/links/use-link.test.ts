import assert from "node:assert/strict";
import { test } from "node:test";
import { makeLink } from "../../../src/core/links/make-link.ts";
import { useLink } from "../../../src/core/links/use-link.ts";
import { corePorts } from "../../support/core-ports.ts";
import { OWNER } from "../../support/gate.ts";
import { hashText } from "../../support/store.ts";

test("an invitation makes no account that has ended already", async (t) => {
  const ports = await corePorts(t);
  await ports.insertOwner(hashText("a hash"));
  const at = (ms: number) => new Date(ports.clock.now() + ms);
  const wanted = { purpose: "invite", expiresAt: at(2_000), endsAt: at(1_000) } as const;
  const made = await makeLink({ ...ports, record() {} }, { ...wanted, usesLeft: 1 });
  assert.ok(made.kind === "made");
  ports.clock.advance(1_000);
  const form = { username: "bob", password: OWNER.password, confirm: OWNER.password };
  const outcome = await useLink(ports, made.token, form, { remoteAddress: "192.0.2.1" });
  assert.deepEqual(outcome, { kind: "gone" });
  assert.equal(await ports.store.users.findByName("bob"), undefined);
});
