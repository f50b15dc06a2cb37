/** One server under measurement, in a process of its own so that its CPU time is its alone. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { getRequestListener } from "@hono/node-server";
import { hash, verify } from "@node-rs/argon2";
import { Hono } from "hono";
import { createSessionTokens } from "../src/core/session-token.ts";
import type { UserId } from "../src/core/store.ts";
import { createAuth } from "../src/index.ts";
import { defaultHashing } from "../src/options.ts";
import { openSqlite } from "../src/stores/sqlite.ts";
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
    return { listener: getRequestListener(app.fetch, { overrideGlobalObjects: false }) };
  }
  const framework = frameworks.find((one) => one === kind);
  if (framework === undefined) throw new Error(`no subject ${kind}`);
  return startLatchkey(framework);
}

async function startLatchkey(
  framework: Framework,
): Promise<{ listener: RequestListener; tokens: readonly string[] }> {
  const file = `${folder}/latchkey.db`;
  const auth = createAuth({
    store: await openSqlite({ file }),
    secret: SECRET,
    homePath: null,
    trustedProxies: ["127.0.0.1"],
    forwardAuth: "on",
  });
  return { listener: await listeners[framework](auth), tokens: await addUsers(file) };
}

/** As many users as sessions, so that every one of them is a stranger to the guard's memory. */
async function addUsers(file: string): Promise<readonly string[]> {
  const passwordHash = await hash(PASSWORD, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
  const database = new DatabaseSync(file);
  const insert = database.prepare("INSERT INTO users VALUES (?, ?, ?)");
  const issuer = createSessionTokens(SECRET, clock);
  const tokens: string[] = [];
  database.exec("BEGIN");
  for (let index = 0; index < Number(sessions); index += 1) {
    insert.run(`user-${index}`, `user-${index}`, passwordHash);
    tokens.push(await issuer.issue(`user-${index}` as UserId));
  }
  database.exec("COMMIT");
  database.close();
  return tokens;
}

/** The raw rate: nothing but verifying, as many at a time as the service would. */
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
