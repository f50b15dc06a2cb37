import { readFile, stat } from "node:fs/promises";
import { messageOf } from "../core/fault.ts";
import { type Certificate, readCertificate } from "../gate/https/certificate.ts";
import type { Check } from "./check.ts";
import { dayOf, expiryFindings } from "./expiry.ts";
import { type Finding, hint, orOk, problem } from "./finding.ts";

const OPEN_TO_OTHERS = 0o007;

/** Checks the certificate files that the gate serves. */
export const certificateFilesCheck: Check = {
  name: "certificate files",
  settings: ["TLS_CERT_FILE", "TLS_KEY_FILE"],

  async look({ settings: { tlsCertFile, tlsKeyFile }, now }) {
    if (tlsCertFile === undefined || tlsKeyFile === undefined) return [];
    const certificate = await readBoth(tlsCertFile, tlsKeyFile);
    if ("found" in certificate) return [certificate];
    const expiry = expiryFindings(
      "the certificate of TLS_CERT_FILE",
      certificate.notAfter,
      now(),
      "renew it, and put the new one in its place: the gate takes it by itself",
    );
    return orOk(
      [...expiry, ...(await modeFindings(tlsKeyFile))],
      `TLS_CERT_FILE and TLS_KEY_FILE fit together, for ${certificate.names.join(", ")} until ${dayOf(certificate.notAfter)}`,
    );
  },
};

async function readBoth(certFile: string, keyFile: string): Promise<Certificate | Finding> {
  try {
    return readCertificate(await readFile(certFile, "utf8"), await readFile(keyFile, "utf8"));
  } catch (error) {
    return problem(
      `TLS_CERT_FILE and TLS_KEY_FILE cannot be used: ${messageOf(error)}`,
      "name a certificate with its chain and the key that was made for it, as PEM and without a passphrase (fullchain.pem and privkey.pem)",
    );
  }
}

async function modeFindings(path: string): Promise<readonly Finding[]> {
  const { mode } = await stat(path);
  if ((mode & OPEN_TO_OTHERS) === 0) return [];
  return [
    hint(
      "everybody on this machine gets to the key of TLS_KEY_FILE",
      `chmod o= ${path}, and see that the gate's own user can still read it`,
    ),
  ];
}
