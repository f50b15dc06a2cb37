import type { TestContext } from "node:test";
import { openPostgres } from "../../../src/db/postgres/store.ts";
import type { AppFields } from "../../../src/features/apps/app-fields.ts";
import { addApp } from "../../../src/features/apps/manage-apps.ts";
import { startGate } from "../../../test/support/gate.ts";
import { sharedPostgres } from "../../../test/support/postgres-shared.ts";
import type { OidcClient } from "../src/oidc/setup.ts";

export const ISSUER = "https://auth.example.test";

const APPS: readonly (AppFields & { readonly name: string })[] = [
  { name: "Photos" },
  { name: "Files" },
  { name: "Family", groups: ["family"] },
  { name: "Phone", clientType: "public", redirects: ["http://127.0.0.1:4321/callback"] },
];

export interface OidcGates {
  readonly url: string;
  /** Another gate that shares the database. */
  readonly secondUrl: string;
  readonly clients: readonly OidcClient[];
  readonly serverLog: () => string;
}

/** Starts two gates that share a PostgreSQL database, with apps and without an account. */
export async function startOidcGates(t: TestContext): Promise<OidcGates> {
  const server = await sharedPostgres();
  const databaseUrl = await server.newStoreDatabase();
  const gate = await startGate(t, { databaseUrl, publicUrl: ISSUER });
  const second = await startGate(t, { databaseUrl, publicUrl: ISSUER });
  const store = await openPostgres({ url: databaseUrl });
  const services = {
    ...{ store, clock: { now: Date.now }, appDirectory: { forget: () => undefined } },
    record: () => undefined,
  };
  const clients: OidcClient[] = [];
  for (const fields of APPS) {
    const site = `https://${fields.name.toLowerCase()}.example.test`;
    const redirects = fields.redirects ?? [`${site}/callback`];
    const signOutRedirect = `${site}/signed-out`;
    const added = await addApp(services, {
      ...fields,
      redirects,
      signOutRedirects: [signOutRedirect],
    });
    if (added.kind !== "added") throw new Error(`an app was not added: ${added.kind}`);
    const [group] = fields.groups ?? [];
    clients.push({
      ...{ id: added.app.id, redirect: redirects[0] ?? "", signOutRedirect },
      ...(added.secret !== undefined && { secret: added.secret }),
      ...(group !== undefined && { group }),
    });
  }
  await store.close();
  const lines = () => [...gate.serverLog, ...second.serverLog];
  return {
    url: gate.url,
    secondUrl: second.url,
    clients,
    serverLog: () =>
      lines()
        .map((line) => JSON.stringify(line))
        .join("\n"),
  };
}
