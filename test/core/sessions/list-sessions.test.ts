import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { listSessions } from "../../../src/core/sessions/list-sessions.ts";
import { startSession } from "../../../src/core/sessions/start-session.ts";
import { mint } from "../../support/mint.ts";
import { accountWithSessions, CLIENT } from "./session-ports.ts";

async function scene(t: TestContext) {
  const account = await accountWithSessions(t);
  const { ports } = account;
  const list = async (text: string) => {
    const token = ports.tokens.verify(text);
    assert.ok(typeof token === "object");
    return listSessions(ports, token, { remoteAddress: "::1", userAgent: "wget/1" });
  };
  return { ...account, list };
}

test("lists this session first, and at once after the sign-in", async (t) => {
  const { ports, user, list } = await scene(t);
  const first = startSession(ports, user, CLIENT).text;
  ports.clock.advance(1_000);
  for (let n = 0; n < 2; n += 1) startSession(ports, user, CLIENT);
  const listed = await list(first);
  const ages = listed.map(({ createdAt }) => ports.clock.now() - createdAt.getTime());
  assert.deepEqual(ages, [1_000, 0, 0]);
  assert.equal(listed[0]?.device, "curl", "as it was recorded");
});

test("records this session if it is not recorded yet", async (t) => {
  const { ports, user, list } = await scene(t);
  const iat = ports.clock.now() / 1_000 - 60;
  const token = mint({ user_id: user.id, jti: "older", iat, exp: iat + 3_600 });
  const expected = {
    id: "older",
    userId: user.id,
    createdAt: new Date(iat * 1_000),
    usedAt: new Date(ports.clock.now()),
    expiresAt: new Date((iat + 3_600) * 1_000),
    address: "::1",
    device: "wget",
  };
  assert.deepEqual(await list(token), [expected]);
  await ports.sessions.flush();
  assert.deepEqual(await ports.store.sessions.find("older"), expected);
  assert.deepEqual(await list(token), [expected]);
});

test("lists the others for a token without an ID", async (t) => {
  const { ports, user, list } = await scene(t);
  startSession(ports, user, CLIENT);
  const exp = ports.clock.now() / 1_000 + 60;
  assert.equal((await list(mint({ user_id: user.id, exp }))).length, 1);
});
