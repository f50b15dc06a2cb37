import { Fault, messageOf } from "../../core/fault.ts";
import type { GateLog } from "../server-log.ts";
import type { CertificateFiles } from "./certificate-files.ts";
import type { CertificateSettings, CertificateSource, Certificates } from "./certificate-source.ts";

/** Returns `undefined` if the settings ask for plain HTTP. */
export async function openCertificates(
  settings: CertificateSettings,
  now: () => number,
  log: GateLog,
): Promise<Certificates | undefined> {
  const { tlsCertFile, tlsKeyFile, httpsPort } = settings;
  if (tlsCertFile !== undefined && tlsKeyFile !== undefined) {
    const source = await fromFiles({ certFile: tlsCertFile, keyFile: tlsKeyFile }, log);
    return { source, begin: () => {}, challenges: undefined, setUpDomain: undefined };
  }
  if (httpsPort === undefined) return undefined;
  // Loaded on demand, because most gates do not need it.
  const { fromAuthority } = await import("./authority-certificates.ts");
  return fromAuthority(settings, now, log);
}

async function fromFiles(files: CertificateFiles, log: GateLog): Promise<CertificateSource> {
  const { watchCertificateFiles } = await import("./certificate-files.ts");
  try {
    return await watchCertificateFiles(files, log);
  } catch (error) {
    throw new Fault(
      "certificate_files_unusable",
      `cannot use TLS_CERT_FILE with TLS_KEY_FILE: ${messageOf(error)}`,
    );
  }
}
