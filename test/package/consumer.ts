/** An application that uses the package. The test copies it into a project with the package installed. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createAuth, type Store } from "latchkey";
import { type Client, createClient } from "latchkey/client";
import type { postgresUsers, sqliteUsers } from "latchkey/drizzle";
import { expressAuth } from "latchkey/express";
import { fastifyAuth } from "latchkey/fastify";
import { fetchAuth } from "latchkey/fetch";
import { honoAuth } from "latchkey/hono";
import { nodeAuth } from "latchkey/node";
import { oidc } from "latchkey/oidc";
import { openPostgres, type PostgresStore } from "latchkey/postgres";
import { listExternalTables } from "latchkey/prisma";
import { google, type Provider } from "latchkey/providers";
import { openSqlite } from "latchkey/sqlite";
import { signInAs } from "latchkey/testing";

const sqlite = await openSqlite({ file: "accounts.db" });
const store: Store = sqlite;
const auth = createAuth({ store, secret: "a secret for tests, 32 bytes long" });
for (const adapter of [expressAuth, fastifyAuth, fetchAuth, honoAuth]) adapter(auth);
openPostgres satisfies (options: { readonly url: string }) => Promise<PostgresStore & Store>;
google satisfies (options: { readonly clientId: string }) => Provider;
createClient satisfies (options: { readonly base: string }) => Client;
const user = { id: "", username: "", sessionsFrom: null, groups: ["family"], endsAt: new Date() };
user satisfies typeof postgresUsers.$inferSelect;
user satisfies typeof sqliteUsers.$inferSelect;
listExternalTables satisfies (schema?: string) => string[];
oidc satisfies Parameters<typeof createAuth>[0]["oidc"];
signInAs satisfies (...given: never) => unknown;

const { routes, requireAuth } = nodeAuth(auth);
const protectedPage = requireAuth((_request, response, user) => response.end(user.username));
const server = createServer(async (request, response) => {
  if (!(await routes(request, response))) await protectedPage(request, response);
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.once("SIGTERM", () => {
  server.close(async () => {
    await auth.close();
    sqlite.close();
  });
});
