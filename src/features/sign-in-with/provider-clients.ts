import type { Provider, ProviderClient } from "../../identity/providers.ts";
import type { Clock } from "../../lib/clock.ts";

/**
 * Returns a function that finds the client of a provider by its name. The code that speaks with a
 * provider is loaded when the first person signs in with it.
 */
export function createProviderClients(
  providers: readonly Provider[],
  clock: Pick<Clock, "monotonic">,
): (name: string) => ProviderClient {
  const clients = new Map(
    providers.map((provider) => {
      let loaded: Promise<ProviderClient> | undefined;
      const load = (): Promise<ProviderClient> => {
        loaded ??= loadClient(provider, clock);
        return loaded;
      };
      const client: ProviderClient = {
        begin: async (checks) => (await load()).begin(checks),
        finish: async (url, checks) => (await load()).finish(url, checks),
      };
      return [provider.name, client];
    }),
  );
  return (name) => {
    const client = clients.get(name);
    if (client === undefined) throw new Error(`there is no provider ${name}`);
    return client;
  };
}

async function loadClient(
  provider: Provider,
  clock: Pick<Clock, "monotonic">,
): Promise<ProviderClient> {
  switch (provider.protocol) {
    case "oidc":
      return (await import("./oidc-client.ts")).createOidcClient(provider, clock);
    case "github":
      return (await import("./github-client.ts")).createGithubClient(provider);
  }
}
