import { randomBytes } from "node:crypto";
import { networkInterfaces } from "node:os";
import { judgeHost } from "../core/hosts/allowed-hosts.ts";
import { inUrl, schemeOf } from "./reach.ts";
import type { Settings } from "./settings/settings.ts";
import { writeSetupToken } from "./setup-token-file.ts";

/** Writes a new token to the setup token file, in place of any other. */
export async function makeSetupToken({ setupTokenFile, dataDir }: Settings): Promise<string> {
  const token = randomBytes(24).toString("base64url");
  await writeSetupToken(setupTokenFile, token, dataDir);
  return token;
}

/** Whether `makeSetupToken` may have made it. Any other token is the operator's own. */
export const isMadeToken = (token: string): boolean => /^[\w-]{32}$/.test(token);

/** The link that opens the setup with the token filled in. */
export const setupLink = (settings: Settings, token: string): string =>
  `${baseUrlOf(settings)}/setup?token=${token}`;

/** If both ports are set, plain HTTP redirects to HTTPS once a certificate works. */
function baseUrlOf(settings: Settings): string {
  const { publicUrl, host, port } = settings;
  if (publicUrl !== undefined) return publicUrl;
  return `${schemeOf(settings)}://${allowedHost(reachableHost(host), settings)}:${port}`;
}

/** A link to a host that is not in ALLOWED_HOSTS would get 421. */
function allowedHost(host: string, { allowedHosts: allowed, ...settings }: Settings): string {
  return judgeHost({ ...settings, allowed }, host) === "refused" ? (allowed[0] ?? host) : host;
}

/** For a wildcard address, the first external IPv4 address of this machine. */
function reachableHost(host: string): string {
  if (host !== "0.0.0.0" && host !== "::") return inUrl(host);
  const addresses = Object.values(networkInterfaces()).flat();
  const external = addresses.find((one) => one?.family === "IPv4" && !one.internal);
  return external?.address ?? "127.0.0.1";
}
