import { checkAccounts, checkAppAccounts, checkCodes } from "./accounts.ts";
import { checkAddress, checkHosts } from "./address.ts";
import { checkAliases } from "./aliases.ts";
import { checkCertificate, checkCertificateFiles, checkOwnCertificates } from "./certificates.ts";
import type { Check } from "./check.ts";
import { checkCookie } from "./cookie.ts";
import { checkDataFolder, checkDisk } from "./data-folder.ts";
import { checkDatabase, checkLeftovers } from "./database.ts";
import { checkGate, checkPorts, checkPublicUrl } from "./gate.ts";
import { checkMail } from "./mail.ts";
import { checkNotify } from "./notify.ts";
import { checkLimit, checkProxy } from "./proxy.ts";
import { checkSecret, checkSecretFiles } from "./secret.ts";

/** Lists the checks in the order of the report: from the machine to the address that users open. */
export const checks: readonly Check[] = [
  ...[checkSecret, checkSecretFiles, checkDataFolder, checkDisk, checkDatabase, checkLeftovers],
  ...[checkAccounts, checkCodes, checkCertificateFiles, checkOwnCertificates],
  ...[checkPorts, checkGate, checkPublicUrl, checkProxy, checkLimit, checkMail],
  ...[checkNotify, checkAddress, checkHosts, checkCertificate, checkCookie, checkAliases],
];

/** Lists the checks for an app's database, which has no gate. */
export const appChecks: readonly Check[] = [
  ...[checkDisk, checkDatabase, checkLeftovers, checkAppAccounts],
];
