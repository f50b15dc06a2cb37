import { connectableHost } from "../gate/https/handshake-check.ts";
import type { Settings } from "../gate/settings/settings.ts";
import { ask } from "./ask.ts";
import type { Check } from "./check.ts";
import { ok, problem } from "./finding.ts";
import { isRedirectToTls } from "./site.ts";

/** Checks whether the gate or another program answers at the configured address. */
export const gateCheck: Check = {
  name: "gate",
  settings: ["HOST", "PORT", "HTTPS_PORT", "TLS_CERT_FILE", "TLS_KEY_FILE"],

  async look({ settings, now }) {
    if (settings.port === 0) return [];
    const url = placeOf(settings);
    const alive = await ask(new URL("/healthz", url), {}, now);
    if (alive.kind === "response" && (alive.body === "alive" || isRedirectToTls(alive, url))) {
      return [ok(`it runs at ${url.origin}`)];
    }
    if (alive.kind === "none" && alive.code === "ECONNREFUSED") {
      return [ok(`it does not run: nothing listens at ${url.origin}`)];
    }
    const said = alive.kind === "none" ? alive.reason : `/healthz answers ${alive.status}`;
    return [
      problem(
        `what listens at ${url.origin} is not Latchkey: ${said}`,
        "stop that, or set PORT to a port that is free",
      ),
    ];
  },
};

function placeOf({ host, port, httpsPort, tlsCertFile }: Settings): URL {
  const here = connectableHost(host);
  const scheme = tlsCertFile !== undefined && httpsPort === undefined ? "https" : "http";
  return new URL(`${scheme}://${here.includes(":") ? `[${here}]` : here}:${port}`);
}
