/** The code of docs/connections.md. What the page says about proxies: test/proxies. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import type { Auth } from "../../src/index.ts";
import { folderWith } from "../examples/folder-with.ts";
import { typeErrors } from "../package/installed.ts";
import { openAuth } from "../support/auth.ts";
import { listenOn } from "../support/listen.ts";
import { text } from "./pages.ts";

interface Page {
  endWithSession(...given: readonly [Auth, IncomingMessage, ServerResponse, number]): void;
}

test("the code of the page ends the stream of an ended session only", async (t) => {
  const [, code = ""] = /```ts\n([\s\S]*?)```/.exec(text("docs/connections.md")) ?? [];
  const folder = await folderWith(t, ["latchkey", "@types", "undici-types"]);
  const file = join(folder, "connections.ts");
  await writeFile(file, code);
  assert.equal(await typeErrors(folder), "");
  const { endWithSession }: Page = await import(file);
  const { auth } = await openAuth(t);
  await auth.users.add({ username: "ann" });
  const { id = "" } = (await auth.users.findByUsername("ann")) ?? {};
  const server = http.createServer((incoming, response) => {
    endWithSession(auth, incoming, response, 20);
    if (incoming.url === "/short") return response.end();
    const sending = setInterval(() => response.write("data: event\n\n"), 10);
    return response.on("close", () => clearInterval(sending));
  });
  const port = await listenOn(t, server);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const open = async (sending: http.RequestOptions) => {
    const session = await auth.sessions.create(id);
    assert.ok(session);
    const outgoing = http.request({ port, headers: { Cookie: session.cookie }, ...sending }).end();
    const [events]: IncomingMessage[] = await once(outgoing, "response");
    assert.ok(events);
    const closed = new Promise((resolve) => events.on("error", () => {}).once("close", resolve));
    return { session, events, closed, isReused: outgoing.reusedSocket };
  };
  const short = await open({ agent, path: "/short" });
  short.events.resume();
  await short.closed;
  const [ended, other] = [await open({}), await open({ agent })];
  assert.equal(other.isReused, true);
  for (const _ of Array(10)) await once(other.events, "data");
  assert.equal(ended.events.closed, false);
  for (const { session } of [short, ended])
    assert.equal(await auth.sessions.end(session.id), "ended");
  ended.events.resume();
  await ended.closed;
  for (const _ of Array(10)) await once(other.events, "data");
  assert.equal(other.events.closed, false);
});
