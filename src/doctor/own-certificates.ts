import { messageOf } from "../core/fault.ts";
import { parseStored } from "../gate/https/certificate.ts";
import { type CertificateFolder, certificateFolder } from "../gate/https/certificate-folder.ts";
import type { Check } from "./check.ts";
import { dayOf, expiryFindings } from "./expiry.ts";
import { type Finding, hint, ok, problem } from "./finding.ts";

/** Checks the certificates that the gate obtains itself, one for each requested name. */
export const ownCertificatesCheck: Check = {
  name: "own certificates",
  settings: ["DATA_DIR", "HTTPS_PORT", "TLS_CERT_FILE", "TLS_KEY_FILE"],

  async look({ settings: { dataDir, httpsPort, tlsCertFile }, now }) {
    if (httpsPort === undefined || tlsCertFile !== undefined) return [];
    const folder = certificateFolder(dataDir);
    const names = await folder.names();
    if (names.length === 0) {
      return [
        hint(
          "HTTPS_PORT is set, and no domain asks for a certificate: there is no HTTPS yet",
          "run latchkey domain add NAME, or set TLS_CERT_FILE and TLS_KEY_FILE",
        ),
      ];
    }
    const findings = await Promise.all(names.map((name) => findingsOf(name, folder, now())));
    return findings.flat();
  },
};

async function findingsOf(
  name: string,
  folder: CertificateFolder,
  now: number,
): Promise<readonly Finding[]> {
  const [pem, progress] = await Promise.all([folder.certificate(name), folder.progress(name)]);
  const cause = progress?.cause;
  const failing = `the last attempt for ${name} failed: ${cause}`;
  if (pem === undefined) {
    const none = `there is no certificate for ${name} yet`;
    return [
      cause === undefined
        ? hint(none, "start the gate, which gets it, and look at its log")
        : problem(`${none}; ${failing}`, MEND),
    ];
  }
  const expiry = expiryOf(name, pem, now);
  if (cause === undefined) return expiry;
  return [...expiry.filter(({ kind }) => kind !== "ok"), hint(failing, MEND)];
}

const MEND =
  "see that the name leads to this machine, and port 80 there to the gate; it tries again by itself";

function expiryOf(name: string, pem: string, now: number): readonly Finding[] {
  try {
    const { notAfter } = parseStored(pem, name);
    const findings = expiryFindings(`the certificate for ${name}`, notAfter, now, RENEW);
    if (findings.length > 0) return findings;
    return [ok(`the certificate for ${name} is good until ${dayOf(notAfter)}`)];
  } catch (error) {
    return [problem(`the certificate for ${name} is of no use: ${messageOf(error)}`, RENEW)];
  }
}

const RENEW =
  "see whether the gate runs, and in its log why it was not renewed: that happens by itself";
