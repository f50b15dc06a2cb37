import type { Settings } from "../gate/settings/settings.ts";
import { renderCaddy } from "./caddy.ts";
import { renderHaproxy } from "./haproxy.ts";
import { readHaproxyScript } from "./haproxy-script.ts";
import { renderNginx } from "./nginx.ts";
import { ProxyOptionError, type ProxyOptions } from "./options.ts";
import { createPlan, type ProxyPlan } from "./plan.ts";
import { renderTraefik } from "./traefik.ts";

const renderers: Readonly<Record<string, (plan: ProxyPlan) => string>> = {
  caddy: renderCaddy,
  haproxy: renderHaproxy,
  nginx: renderNginx,
  traefik: renderTraefik,
};
const CACHING_PROXIES = ["haproxy", "nginx"];

/** Lists the names of the supported proxies. */
export const PROXIES: readonly string[] = Object.keys(renderers);

export interface ProxyConfiguration {
  /** The text is ready to save. */
  readonly text: string;
  /** Explains which apps are left out, and why apps may be unreachable with this configuration. */
  readonly warnings: readonly string[];
}

/**
 * Renders the configuration of a proxy for these settings and options.
 * @throws ProxyOptionError
 */
export function renderConfiguration(
  proxy: string,
  settings: Settings,
  options: ProxyOptions,
): ProxyConfiguration {
  if (options.remember !== undefined && !CACHING_PROXIES.includes(proxy)) {
    throw new ProxyOptionError("--remember is for nginx and haproxy");
  }
  const plan = createPlan(settings, options);
  return {
    text: renderers[proxy]?.(plan) ?? "",
    warnings: [...plan.warnings, ...findUnreachable(plan, settings, options)],
  };
}

/**
 * Renders the script that the configuration of a proxy loads.
 * @throws ProxyOptionError
 */
export function renderScript(proxy: string): string {
  if (proxy === "haproxy") return readHaproxyScript();
  throw new ProxyOptionError("--script is for haproxy");
}

/**
 * Warns about apps that may be unreachable. The gate may have its settings elsewhere, so the
 * configuration can still be right.
 */
function findUnreachable(
  { apps }: ProxyPlan,
  { publicUrl }: Settings,
  { authHost }: ProxyOptions,
): readonly string[] {
  const remote = apps.find(({ gatePaths }) => gatePaths.length === 0);
  if (publicUrl !== undefined || remote === undefined) return [];
  return [
    `PUBLIC_URL is not set: nobody can open ${remote.host} unless the gate has PUBLIC_URL=https://${authHost}, and COOKIE_DOMAIN or RETURN_DOMAINS with the hosts of the apps`,
  ];
}
