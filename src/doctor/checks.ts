import { accountsCheck } from "./accounts.ts";
import { addressCheck } from "./address.ts";
import { certificateCheck } from "./certificate.ts";
import { certificateFilesCheck } from "./certificate-files.ts";
import type { Check } from "./check.ts";
import { clockCheck } from "./clock.ts";
import { cookieCheck } from "./cookie.ts";
import { dataFolderCheck } from "./data-folder.ts";
import { databaseCheck } from "./database.ts";
import { diskCheck } from "./disk.ts";
import { gateCheck } from "./gate.ts";
import { hostsCheck } from "./hosts.ts";
import { limitCheck } from "./limit.ts";
import { ownCertificatesCheck } from "./own-certificates.ts";
import { proxyCheck } from "./proxy.ts";
import { secretCheck } from "./secret.ts";
import { secretFilesCheck } from "./secret-files.ts";

/** In the order of the report: from the machine to the address that users open. */
export const checks: readonly Check[] = [
  secretCheck,
  secretFilesCheck,
  dataFolderCheck,
  diskCheck,
  databaseCheck,
  accountsCheck,
  clockCheck,
  certificateFilesCheck,
  ownCertificatesCheck,
  gateCheck,
  proxyCheck,
  limitCheck,
  addressCheck,
  hostsCheck,
  certificateCheck,
  cookieCheck,
];
