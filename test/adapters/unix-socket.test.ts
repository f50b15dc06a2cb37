import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { nodeAuth } from "../../src/adapters/node.ts";
import type { AuthOptions } from "../../src/index.ts";
import { openAuth } from "../support/auth.ts";
import { OWNER, SETUP_FORM } from "../support/gate.ts";
import { tempDir } from "../support/temp-dir.ts";

type Fields = Readonly<Record<string, string>>;

/** The library behind a server on a Unix socket, and a client that posts forms to it. */
async function startOnSocket(t: TestContext, options: Partial<Omit<AuthOptions, "store">> = {}) {
  const { auth, log } = await openAuth(t, options);
  const socketPath = join(await tempDir(t), "app.sock");
  const server = createServer((...args) => nodeAuth(auth).routes(...args));
  await once(server.listen(socketPath), "listening");
  t.after(() => server.close());
  async function post(path: string, form: Fields, headers: Fields = {}): Promise<unknown> {
    const type = { "Content-Type": "application/x-www-form-urlencoded" };
    const options = { socketPath, path, method: "POST", agent: false };
    const outgoing = request({ ...options, headers: { ...type, ...headers } });
    outgoing.end(new URLSearchParams(form).toString());
    const [answer]: IncomingMessage[] = await once(outgoing, "response");
    answer?.resume();
    return answer?.headers.location;
  }
  return { post, log };
}

const WRONG = { ...OWNER, password: "wrong" };

test("on a Unix socket, setup and sign-in work, and all clients share one rate limit", async (t) => {
  const { post, log } = await startOnSocket(t, { hosts: { trustedProxies: ["0.0.0.0/0"] } });
  assert.equal(await post("/setup", SETUP_FORM), "/");
  assert.equal(await post("/login", OWNER), "/");
  for (let attempt = 2; attempt <= 5; attempt += 1) {
    assert.equal(await post("/login", WRONG), "/login?error=1");
  }
  assert.equal(await post("/login", OWNER), "/login?error=1");
  const { message, fields } = log.at(-1) ?? {};
  assert.deepEqual([message, fields?.address], ["sign-in rate-limited", "local"]);
});
