import { randomBytes } from "node:crypto";
import { networkInterfaces } from "node:os";
import { judgeHost } from "../core/allowed-hosts.ts";
import { makeDataDir } from "../gate/files/data-dir.ts";
import { hasAccounts } from "../gate/open-store.ts";
import { inUrl, schemeOf } from "../gate/reach.ts";
import { type Settings, tokenFileIn } from "../gate/settings/settings.ts";
import { writeSetupToken } from "../gate/setup-token-file.ts";
import type { Command } from "./command.ts";
import { SUCCESS } from "./terminal.ts";
import { STORE_SETTINGS } from "./user/accounts.ts";

const TOKEN_BYTES = 24;

export const command: Command = {
  details:
    "The link contains a new setup token, which the gate then requires. An older link stops working.",
  settings: [
    ...STORE_SETTINGS,
    ...["HOST", "PORT", "HTTPS_PORT", "TLS_CERT_FILE"],
    ...["SETUP_TOKEN_FILE", "PUBLIC_URL", "ALLOWED_HOSTS"],
  ],
  examples: [
    "latchkey setup-link",
    "PUBLIC_URL=https://auth.example.org latchkey setup-link --env-file latchkey.env",
  ],

  async run(settings, _options, terminal) {
    if (await hasAccounts(settings)) {
      return terminal.fail("there is already an account, so setup is closed");
    }
    await makeDataDir(settings.dataDir);
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    await writeSetupToken(settings.setupTokenFile, token, settings.dataDir);
    terminal.print(`${baseUrlOf(settings)}/setup?token=${token}`);
    // A gate with another token file requires no token, so anyone could create the first account.
    terminal.complain(`the token is in ${settings.setupTokenFile}: ${sameAs(settings)}`);
    return SUCCESS;
  },
};

const sameAs = ({ setupTokenFile, dataDir }: Settings): string =>
  `start the gate with the same ${setupTokenFile === tokenFileIn(dataDir) ? "DATA_DIR" : "SETUP_TOKEN_FILE"}`;

/** If both ports are set, plain HTTP redirects to HTTPS once a certificate works. */
function baseUrlOf(settings: Settings): string {
  const { publicUrl, host, port } = settings;
  if (publicUrl !== undefined) return publicUrl;
  return `${schemeOf(settings)}://${allowedHost(reachableHost(host), settings)}:${port}`;
}

/** A link to a host that is not in ALLOWED_HOSTS would get 421. */
function allowedHost(host: string, settings: Settings): string {
  return judgeHost(settings, host) === "refused" ? (settings.allowedHosts[0] ?? host) : host;
}

/** For a wildcard address, the first external IPv4 address of this machine. */
function reachableHost(host: string): string {
  if (host !== "0.0.0.0" && host !== "::") return inUrl(host);
  const addresses = Object.values(networkInterfaces()).flat();
  const external = addresses.find((one) => one?.family === "IPv4" && !one.internal);
  return external?.address ?? "127.0.0.1";
}
