import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { nodeAuth } from "../../src/adapters/node.ts";
import { openAuth } from "../support/auth.ts";
import { OWNER, SETUP_FORM } from "../support/gate.ts";
import { tempDir } from "../support/temp-dir.ts";

const WRONG = { ...OWNER, password: "wrong" };

test("sets up and signs in on a Unix socket, with one limit for all clients", async (t) => {
  const { auth, log } = await openAuth(t, { hosts: { trustedProxies: ["0.0.0.0/0"] } });
  const socketPath = join(await tempDir(t), "app.sock");
  const server = createServer((...args) => nodeAuth(auth).routes(...args));
  await once(server.listen(socketPath), "listening");
  t.after(() => server.close());
  const post = async (path: string, form: Readonly<Record<string, string>>): Promise<unknown> => {
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const outgoing = request({ socketPath, path, method: "POST", agent: false, headers });
    outgoing.end(new URLSearchParams(form).toString());
    const [answer]: IncomingMessage[] = await once(outgoing, "response");
    answer?.resume();
    return answer?.headers.location;
  };
  assert.equal(await post("/setup", SETUP_FORM), "/");
  assert.equal(await post("/login", OWNER), "/");
  for (let attempt = 2; attempt <= 5; attempt += 1) {
    assert.equal(await post("/login", WRONG), "/login?error=1");
  }
  assert.equal(await post("/login", OWNER), "/login?error=1");
  const { message, fields } = log.at(-1) ?? {};
  assert.deepEqual([message, fields?.address], ["sign-in rate-limited", "local"]);
});
