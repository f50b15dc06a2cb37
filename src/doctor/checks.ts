import { checkAccounts } from "./accounts.ts";
import { checkAddress, checkGate } from "./address.ts";
import { checkAliases } from "./aliases.ts";
import { checkCertificate, checkCertificateFiles, checkOwnCertificates } from "./certificates.ts";
import type { Check } from "./check.ts";
import { checkClock } from "./clock.ts";
import { checkCookie } from "./cookie.ts";
import { checkDataFolder } from "./data-folder.ts";
import { checkDatabase } from "./database.ts";
import { checkDisk } from "./disk.ts";
import { checkHosts } from "./hosts.ts";
import { checkLimit, checkProxy } from "./proxy.ts";
import { checkSecret, checkSecretFiles } from "./secret.ts";

const STORE = ["DATA_DIR", "DATABASE_URL"];
const REACH = ["HOST", "PUBLIC_URL", "TRUSTED_PROXIES"];
const TLS_FILES = ["TLS_CERT_FILE", "TLS_KEY_FILE"];
const HTTPS = ["HTTPS_PORT", ...TLS_FILES];

type Row = readonly [name: string, run: Check["run"], settings: readonly string[]];

/** In the order of the report: from the machine to the address that users open. */
const rows: readonly Row[] = [
  ["secret", checkSecret, ["AUTH_SECRET", "AUTH_SECRET_PREVIOUS"]],
  ["secret files", checkSecretFiles, ["TLS_KEY_FILE"]],
  ["data folder", checkDataFolder, [...STORE, "SETUP_TOKEN_FILE"]],
  ["disk", checkDisk, STORE],
  ["database", checkDatabase, STORE],
  ["accounts", checkAccounts, [...STORE, ...REACH, "SETUP_TOKEN_FILE"]],
  ["clock", checkClock, STORE],
  ["certificate files", checkCertificateFiles, TLS_FILES],
  ["own certificates", checkOwnCertificates, ["DATA_DIR", ...HTTPS]],
  ["gate", checkGate, ["HOST", "PORT", ...HTTPS]],
  ["proxy", checkProxy, [...STORE, "TRUSTED_PROXIES"]],
  ["limit", checkLimit, [...REACH, "LIMIT_IPV6_PREFIX"]],
  ["address", checkAddress, ["HOST", "PORT"]],
  ["hosts", checkHosts, [...STORE, "HOST", "ALLOWED_HOSTS"]],
  ["certificate", checkCertificate, []],
  ["cookie", checkCookie, ["PUBLIC_URL", "COOKIE_DOMAIN"]],
  ["aliases", checkAliases, []],
];

export const checks: readonly Check[] = rows.map(([name, run, settings]) => ({
  name,
  run,
  settings,
}));
