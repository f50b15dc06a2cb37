import { checkAccounts } from "./accounts.ts";
import { checkAddress } from "./address.ts";
import { checkAliases } from "./aliases.ts";
import { checkCertificate, checkCertificateFiles, checkOwnCertificates } from "./certificates.ts";
import { type Check, checkOf } from "./check.ts";
import { checkClock } from "./clock.ts";
import { checkCookie } from "./cookie.ts";
import { checkDataFolder } from "./data-folder.ts";
import { checkDatabase } from "./database.ts";
import { checkDisk } from "./disk.ts";
import { checkGate, checkPublicUrl } from "./gate.ts";
import { checkHosts } from "./hosts.ts";
import { checkLeftovers } from "./leftovers.ts";
import { checkLimit, checkProxy } from "./proxy.ts";
import { checkSecret, checkSecretFiles } from "./secret.ts";

const STORE = ["DATA_DIR", "DATABASE_URL"];
const REACH = ["HOST", "PUBLIC_URL", "TRUSTED_PROXIES"];
const TLS_FILES = ["TLS_CERT_FILE", "TLS_KEY_FILE"];
const HTTPS = ["HTTPS_PORT", ...TLS_FILES];
const GATE = ["host", "port", "httpsPort", "tlsCertFile", "secret", "dataDir", "database"] as const;

type Row = readonly [name: string, run: Check["run"], settings: readonly string[]];

/** In the order of the report: from the machine to the address that users open. */
const rows: readonly (Row | Check)[] = [
  ["secret", checkSecret, ["AUTH_SECRET", "AUTH_SECRET_PREVIOUS"]],
  ["secret files", checkSecretFiles, ["TLS_KEY_FILE"]],
  ["data folder", checkDataFolder, [...STORE, "SETUP_TOKEN_FILE"]],
  ["disk", checkDisk, STORE],
  ["database", checkDatabase, STORE],
  checkOf("leftovers", ["dataDir", "database"], checkLeftovers),
  ["accounts", checkAccounts, [...STORE, ...REACH, "SETUP_TOKEN_FILE"]],
  ["clock", checkClock, STORE],
  ["certificate files", checkCertificateFiles, TLS_FILES],
  ["own certificates", checkOwnCertificates, ["DATA_DIR", ...HTTPS]],
  checkOf("gate", GATE, checkGate),
  checkOf("public URL", [...GATE, "publicUrl"], checkPublicUrl),
  ["proxy", checkProxy, [...STORE, "TRUSTED_PROXIES"]],
  ["limit", checkLimit, [...REACH, "LIMIT_IPV6_PREFIX"]],
  ["address", checkAddress, ["HOST", "PORT"]],
  ["hosts", checkHosts, [...STORE, "HOST", "ALLOWED_HOSTS"]],
  ["certificate", checkCertificate, []],
  ["cookie", checkCookie, ["PUBLIC_URL", "COOKIE_DOMAIN"]],
  ["aliases", checkAliases, []],
];

export const checks: readonly Check[] = rows.map((row) => {
  if ("run" in row) return row;
  const [name, run, settings] = row;
  return { name, run, settings };
});
