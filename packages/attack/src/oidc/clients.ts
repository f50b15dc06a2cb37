import { Skipped } from "../errors.ts";
import type { Target } from "../target.ts";
import type { OidcClient } from "./setup.ts";

export interface OidcClients {
  readonly app: OidcClient;
  readonly other: OidcClient;
  readonly open: OidcClient;
}

/** @throws Skipped if clients are missing */
export function requireClients({ oidc }: Target): OidcClients {
  const { clients = [] } = oidc ?? {};
  const free = clients.filter(({ group }) => group === undefined);
  const [app, other] = free.filter(({ secret }) => secret !== undefined);
  const open = free.find(({ secret }) => secret === undefined);
  if (app === undefined || other === undefined || open === undefined)
    throw new Skipped("needs two clients with a secret and a public one");
  return { app, other, open };
}

/** The client of an app that the account may not open. */
export const findClosedClient = ({ oidc }: Target): OidcClient | undefined =>
  oidc?.clients.find(({ group, secret }) => group !== undefined && secret !== undefined);
