import type { App } from "../db/records.ts";
import { openStore } from "../gate/open-store.ts";
import type { Settings } from "../gate/settings/settings.ts";
import { getSettingName } from "../gate/settings/table.ts";
import { getErrorCode, getErrorMessage } from "../lib/fault.ts";
import {
  PROXIES,
  type ProxyConfiguration,
  renderConfiguration,
  renderScript,
} from "../proxies/configuration.ts";
import { ProxyOptionError, type ProxyOptions } from "../proxies/options.ts";
import { STORE_SETTINGS } from "./accounts.ts";
import { type Command, type OptionValues, UsageError } from "./command.ts";

/**
 * Renders what the command prints: the configuration of a proxy, or the script that it loads.
 *
 * @param registered All apps of the gate, if the options name none.
 * @throws UsageError
 */
export function renderProxy(
  proxy: string,
  settings: Settings,
  values: OptionValues,
  registered?: readonly App[],
): ProxyConfiguration {
  try {
    if (values.script === true) return { text: renderScript(proxy), warnings: [] };
    return renderConfiguration(proxy, settings, { ...readOptions(values), registered });
  } catch (error) {
    if (error instanceof ProxyOptionError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

const readOptions = (values: OptionValues): ProxyOptions => ({
  apps: readList(values.app),
  authHost: readText(values["auth-host"]),
  users: readText(values.users),
  groups: readText(values.groups),
  publicPaths: readList(values.public),
  remember: readText(values.remember),
});

/** Reads all apps, for a command whose options name no app. */
async function readApps(settings: Settings): Promise<readonly App[]> {
  try {
    await using store = await openStore(settings, "read");
    return await store.apps.list();
  } catch (error) {
    if (getErrorCode(error) !== "database_missing") throw error;
    const text = `${getErrorMessage(error)}; without apps in a database, name each app with --app HOST=URL`;
    throw new UsageError(text, { cause: error });
  }
}

const readList = (value: OptionValues[string]): readonly string[] =>
  typeof value === "object" ? value : [];

const readText = (value: OptionValues[string]): string | undefined =>
  typeof value === "string" ? value : undefined;

export const command: Command = {
  details:
    "Without --app, it prints the configuration for all apps that have a URL and an upstream. Save it, then reload the proxy. The gate needs the proxy's address in TRUSTED_PROXIES, and for apps on other hosts PUBLIC_URL, and COOKIE_DOMAIN or RETURN_DOMAINS.",
  operands: [{ name: "proxy", need: "required", completes: PROXIES }],
  options: [
    {
      name: "app",
      value: "host=url",
      about: "only this app: its host, and its own URL",
      repeats: true,
    },
    { name: "auth-host", value: "host", about: "the gate's own host (default: of PUBLIC_URL)" },
    { name: "users", value: "names", about: "users whom the apps admit (default: all)" },
    { name: "groups", value: "names", about: "groups whose members the apps admit" },
    { name: "public", value: "path", about: "open to everyone, with all below it", repeats: true },
    { name: "remember", value: "time", about: "admit a client for 1s to 60s before asking again" },
    { name: "script", about: "print the script that HAProxy loads instead" },
  ],
  settings: [
    ...(["host", "port", "publicUrl", "cookieDomain", "returnDomains", "assertions"] as const).map(
      getSettingName,
    ),
    ...STORE_SETTINGS,
  ],
  examples: [
    "latchkey proxy caddy --env-file gate.env",
    "latchkey proxy caddy --app app.example.org=http://127.0.0.1:8080",
    "latchkey proxy nginx --env-file gate.env --app wiki.example.org=http://127.0.0.1:8080 --groups family",
    "latchkey proxy haproxy --script > /etc/haproxy/latchkey.lua",
  ],

  run: async (settings, options, terminal) => {
    const needsApps = options.app === undefined && options.script !== true;
    const registered = needsApps ? await readApps(settings) : undefined;
    const { text, warnings } = renderProxy(String(options.proxy), settings, options, registered);
    for (const warning of warnings) terminal.complain(warning);
    terminal.system.stdout.write(text);
    return 0;
  },
};
