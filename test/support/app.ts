import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { honoAuth } from "../../src/adapters/hono.ts";
import { type Auth, type AuthOptions, createAuth } from "../../src/index.ts";
import { openSqlite } from "../../src/stores/sqlite/store.ts";
import { type Answer, type Sending, send } from "./client.ts";
import { SECRET } from "./gate.ts";
import { type RecordedLine, recordingLog } from "./recording-log.ts";
import { tempDir } from "./temp-dir.ts";

export interface RunningApp {
  readonly url: string;
  readonly auth: Auth;
  readonly databaseFile: string;
  readonly log: readonly RecordedLine[];
  readonly fetch: Hono["fetch"];
  send(path: string, sending?: Sending): Promise<Answer>;
}

/**
 * A small app that uses the library, on a free port. `/operation` is behind
 * `requireAuth`, `/handler` behind `authMiddleware`, `/who` returns the current user.
 */
export async function startApp(
  t: TestContext,
  options: Partial<AuthOptions> = {},
): Promise<RunningApp> {
  const databaseFile = join(await tempDir(t), "app.db");
  const store = await openSqlite({ file: databaseFile });
  const log = recordingLog();
  const auth = createAuth({ store, secret: SECRET, log, ...options });

  const app = new Hono();
  const { routes, requireAuth, authMiddleware } = honoAuth(auth);
  app.route("/", routes);
  app.get("/operation", requireAuth, (c) => c.text(`protected, for ${c.var.user.username}`));
  app.use("/handler", authMiddleware);
  app.get("/handler", (c) => c.text("protected"));
  app.get("/who", async (c) => c.json((await auth.currentUser(c.req.raw)) ?? null));

  const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(async () => {
    server.close();
    server.closeAllConnections();
    await auth.close();
    store.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sendTo: RunningApp["send"] = (path, sending) => send(`${url}${path}`, sending);
  return { url, auth, databaseFile, log: log.lines, fetch: app.fetch, send: sendTo };
}
