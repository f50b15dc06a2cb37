import type { Settings } from "../../gate/settings/settings.ts";
import { nameOf } from "../../gate/settings/table.ts";
import { type Command, type OptionValues, UsageError } from "../command.ts";
import { caddy } from "./caddy.ts";
import { haproxy } from "./haproxy.ts";
import { haproxyScript } from "./haproxy-script.ts";
import { nginx } from "./nginx.ts";
import { type ProxyPlan, planOf } from "./plan.ts";
import { traefik } from "./traefik.ts";

const proxies: Readonly<Record<string, (plan: ProxyPlan) => string>> = {
  caddy,
  haproxy,
  nginx,
  traefik,
};
const REMEMBERING = ["haproxy", "nginx"];

/**
 * The configuration of a proxy for these settings and options, ready to save.
 * @throws UsageError
 */
export function configurationOf(proxy: string, settings: Settings, options: OptionValues): string {
  if (options.script === true) {
    if (proxy === "haproxy") return haproxyScript;
    throw new UsageError("--script is for haproxy");
  }
  if (options.remember !== undefined && !REMEMBERING.includes(proxy)) {
    throw new UsageError("--remember is for nginx and haproxy");
  }
  return proxies[proxy]?.(planOf(settings, options)) ?? "";
}

/** The gate may have its settings elsewhere, so that the configuration can still be right. */
function warningFor(settings: Settings, options: OptionValues): string | undefined {
  const { apps } = planOf(settings, options);
  const remote = apps.find(({ gatePaths }) => gatePaths.length === 0);
  if (settings.publicUrl !== undefined || remote === undefined) return undefined;
  return `PUBLIC_URL is not set: nobody can open ${remote.host} unless the gate has PUBLIC_URL=https://${options["auth-host"]}, and COOKIE_DOMAIN or RETURN_DOMAINS with the hosts of the apps`;
}

export const command: Command = {
  details:
    "Save it, then reload the proxy. The gate needs the proxy's address in TRUSTED_PROXIES, and for apps on other hosts PUBLIC_URL, and COOKIE_DOMAIN or RETURN_DOMAINS.",
  operands: [{ name: "proxy", need: "required", completes: Object.keys(proxies) }],
  options: [
    { name: "app", value: "host=url", about: "an app: its host, and its own URL", repeats: true },
    { name: "auth-host", value: "host", about: "the gate's own host (default: of PUBLIC_URL)" },
    { name: "users", value: "names", about: "users whom the apps admit (default: all)" },
    { name: "groups", value: "names", about: "groups whose members the apps admit" },
    { name: "public", value: "path", about: "open to everyone, with all below it", repeats: true },
    { name: "remember", value: "time", about: "admit a client for 1s to 60s before asking again" },
    { name: "script", about: "print the script that HAProxy loads instead" },
  ],
  settings: (
    ["host", "port", "publicUrl", "cookieDomain", "returnDomains", "assertions"] as const
  ).map(nameOf),
  examples: [
    "latchkey proxy caddy --app app.example.org=http://127.0.0.1:8080",
    "latchkey proxy nginx --env-file gate.env --app wiki.example.org=http://127.0.0.1:8080 --groups family",
    "latchkey proxy haproxy --script > /etc/haproxy/latchkey.lua",
  ],

  run: async (settings, options, terminal) => {
    const configuration = configurationOf(String(options.proxy), settings, options);
    const warning = options.script === true ? undefined : warningFor(settings, options);
    if (warning !== undefined) terminal.complain(warning);
    terminal.ports.stdout.write(configuration);
    return 0;
  },
};
