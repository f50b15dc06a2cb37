/** The code of docs/connections.md. What the page says about proxies: test/proxies. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import type { Auth } from "../../src/index.ts";
import { openAuth } from "../support/auth.ts";
import { listenOn } from "../support/listen.ts";
import { tempDir } from "../support/temp-dir.ts";
import { text } from "./pages.ts";

interface Page {
  endWithSession(auth: Auth, request: IncomingMessage, everyMs: number): void;
}

test("the code of the page closes the connection of an ended session, and no other", async (t) => {
  const [, code = ""] = /```ts\n([\s\S]*?)```/.exec(text("docs/connections.md")) ?? [];
  const file = join(await tempDir(t), "connections.ts");
  await writeFile(file, code);
  const { endWithSession }: Page = await import(file);
  const { auth } = await openAuth(t);
  await auth.users.add({ username: "ann" });
  const { id = "" } = (await auth.users.findByUsername("ann")) ?? {};
  const server = createServer((incoming, response) => {
    endWithSession(auth, incoming, 20);
    const sending = setInterval(() => response.write("data: event\n\n"), 10);
    response.on("close", () => clearInterval(sending));
  });
  const port = await listenOn(t, server);
  const open = async () => {
    const session = await auth.sessions.create(id);
    assert.ok(session);
    const outgoing = request({ port, headers: { Cookie: session.cookie } }).end();
    const [events]: IncomingMessage[] = await once(outgoing, "response");
    assert.ok(events);
    const closed = new Promise((resolve) => events.on("error", () => {}).once("close", resolve));
    return { session, events, closed };
  };
  const [ended, other] = [await open(), await open()];
  for (const _ of Array(10)) await once(other.events, "data");
  assert.equal(ended.events.closed, false);
  assert.equal(await auth.sessions.end(ended.session.id), "ended");
  ended.events.resume();
  await ended.closed;
  for (const _ of Array(10)) await once(other.events, "data");
  assert.equal(other.events.closed, false);
});
