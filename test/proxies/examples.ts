import { parseEnv } from "node:util";
import { argumentsIn, printedBy } from "../../scripts/docs.ts";
import type { Settings } from "../../src/gate/settings/settings.ts";
import { text } from "../docs/pages.ts";

/** The two setups of each page: application and gate share a host name, or have one each. */
export type SetUp = "One host" | "Two hosts";

export type GateSettings = Pick<
  Settings,
  "allowedHosts" | "trustedProxies" | "publicUrl" | "cookieDomain"
>;

export interface Example {
  /** With `example.test` instead of `example.org`. */
  readonly settings: GateSettings;
  readonly configuration: string;
}

/** The text of a page about proxies. */
export const pageOf = (name: string): string => text(`docs/proxies/${name}.md`);

/** The part of a page below a heading. */
export const sectionOf = (page: string, heading: string): string =>
  pageOf(page)
    .split(/^## /m)
    .find((part) => part.startsWith(`${heading}\n`)) ?? "";

/**
 * The gate's settings in a section of a documentation page, and what the command there prints for
 * them, with these arguments too. That the page shows the same: `test/docs/reference.test.ts`.
 */
export function exampleOf(page: string, setUp: SetUp, more: readonly string[] = []): Example {
  const [, settings, command] =
    /^```sh\n(.*?)^```\n.*?^```sh\n(.*?)^```/ms.exec(sectionOf(page, setUp)) ?? [];
  if (settings === undefined || command?.startsWith("latchkey proxy ") !== true) {
    throw new Error(`docs/proxies/${page}.md has no complete example under "${setUp}"`);
  }
  return {
    settings: settingsIn(settings.replaceAll("example.org", "example.test")),
    configuration: printedBy([...argumentsIn(command), ...more], settings),
  };
}

function settingsIn(text: string): GateSettings {
  const { ALLOWED_HOSTS, TRUSTED_PROXIES, PUBLIC_URL, COOKIE_DOMAIN, ...others } = parseEnv(text);
  if (TRUSTED_PROXIES === undefined || Object.keys(others).length > 0) {
    throw new Error(`unexpected settings: ${text}`);
  }
  const trustedProxies = TRUSTED_PROXIES.split(",");
  const allowedHosts = ALLOWED_HOSTS?.split(",") ?? "loopback-setup";
  return {
    allowedHosts,
    trustedProxies,
    publicUrl: PUBLIC_URL,
    cookieDomain: COOKIE_DOMAIN,
  };
}

/** Replaces addresses and names in the example. Throws if one does not occur. */
export function withPlaces(text: string, places: Readonly<Record<string, string>>): string {
  return Object.entries(places).reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`the example does not contain ${from}`);
    return changed.replaceAll(from, to);
  }, text);
}
