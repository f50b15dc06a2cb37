/** The server under measurement, in its own process to measure its CPU time. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { getRequestListener } from "@hono/node-server";
import { hash, verify } from "@node-rs/argon2";
import { Hono } from "hono";
import pg from "pg";
import { createSessionTokens } from "../../src/core/session-token.ts";
import type { Store, UserId } from "../../src/core/store.ts";
import { createAuth } from "../../src/index.ts";
import { defaultHashing } from "../../src/settle-options.ts";
import { openPostgres } from "../../src/stores/postgres/store.ts";
import { openSqlite } from "../../src/stores/sqlite/store.ts";
import { type Framework, frameworks, listeners } from "./frameworks.ts";

export type SubjectKind = "bare" | "hello" | "hashing" | Framework;

const SECRET = "a secret for benchmarks, 32 bytes";
const PASSWORD = "correct horse";
const clock = { now: () => Date.now(), monotonic: () => performance.now() };

const [kind, folder, sessions] = process.argv.slice(2);

if (kind === "hashing") await startHashing();
else await startServer();

async function startServer(): Promise<void> {
  const { listener, tokens } = await listenerOf(kind);
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  process.send?.({ port, tokens });
  process.on("message", () => process.send?.({ cpu: cpuTime() }));
}

async function listenerOf(
  kind: string | undefined,
): Promise<{ listener: RequestListener; tokens?: readonly string[] }> {
  if (kind === "bare") {
    return {
      listener: (_request, response) => {
        response.setHeader("Content-Type", "text/plain; charset=UTF-8");
        response.setHeader("Content-Length", "5");
        response.end("hello");
      },
    };
  }
  if (kind === "hello") {
    const app = new Hono();
    app.get("/hello", (c) => c.text("hello"));
    app.get(
      "/through",
      (_c, next) => next(),
      (c) => c.text("hello"),
    );
    return { listener: getRequestListener(app.fetch) };
  }
  const framework = frameworks.find((one) => one === kind);
  if (framework === undefined) throw new Error(`unknown subject ${kind}`);
  return startLatchkey(framework);
}

async function startLatchkey(
  framework: Framework,
): Promise<{ listener: RequestListener; tokens: readonly string[] }> {
  const { store, tokens } = await fill(String(folder));
  const auth = createAuth({
    store,
    secret: SECRET,
    homePath: null,
    trustedProxies: ["127.0.0.1"],
    forwardAuth: true,
  });
  return { listener: await listeners[framework](auth), tokens };
}

/** One user per session, so that none is in the guard's cache. */
async function fill(place: string): Promise<{ store: Store; tokens: readonly string[] }> {
  const issuer = createSessionTokens(SECRET, clock);
  const names = Array.from({ length: Number(sessions) }, (_, index) => `user-${index}`);
  const tokens: string[] = [];
  for (const name of names) tokens.push(await issuer.issue(name as UserId));
  const passwordHash = await hash(PASSWORD, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
  const store = place.startsWith("postgres://")
    ? await fillPostgres(place, names, passwordHash)
    : await fillSqlite(`${place}/latchkey.db`, names, passwordHash);
  return { store, tokens };
}

async function fillSqlite(
  file: string,
  names: readonly string[],
  passwordHash: string,
): Promise<Store> {
  const store = await openSqlite({ file });
  const database = new DatabaseSync(file);
  const insert = database.prepare(
    "INSERT INTO users (id, username, password_hash) VALUES (?, ?, ?)",
  );
  database.exec("BEGIN");
  for (const name of names) insert.run(name, name, passwordHash);
  database.exec("COMMIT");
  database.close();
  return store;
}

async function fillPostgres(
  url: string,
  names: readonly string[],
  passwordHash: string,
): Promise<Store> {
  const store = await openPostgres({ url });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    "INSERT INTO latchkey_users (id, username, password_hash) SELECT name, name, $2 FROM unnest($1::text[]) AS name",
    [names, passwordHash],
  );
  await client.end();
  return store;
}

/** The raw rate: only verifies passwords, as many at a time as the service does. */
async function startHashing(): Promise<void> {
  const { atOnce } = defaultHashing();
  const stored = await hash(PASSWORD, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
  process.send?.({ port: 0 });
  process.on("message", async (count: number) => {
    const before = cpuTime();
    const start = performance.now();
    let left = count;
    const worker = async (): Promise<void> => {
      while (left-- > 0) await verify(stored, PASSWORD);
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    process.send?.({ cpu: cpuTime() - before, took: performance.now() - start });
  });
}

function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
