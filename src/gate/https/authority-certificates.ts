import { setTimeout as sleep } from "node:timers/promises";
import { getCACertificates } from "node:tls";
import { messageOf } from "../../core/fault.ts";
import type { GateLog } from "../server-log.ts";
import { certificateFolder } from "./certificate-folder.ts";
import { openRenewer } from "./certificate-renewer.ts";
import type { CertificateSettings, Certificates } from "./certificate-source.ts";
import { type ChallengeResponder, createChallengeResponder } from "./challenges.ts";
import { checkDomain } from "./domain-check.ts";
import { certifiableName } from "./host-name.ts";
import { type Authority, obtainCertificate } from "./obtain-certificate.ts";

export const LETS_ENCRYPT = "https://acme-v02.api.letsencrypt.org/directory";

/** Certificates requested from a certificate authority, and stored in the data folder. */
export async function fromAuthority(
  settings: CertificateSettings,
  now: () => number,
  log: GateLog,
): Promise<Certificates> {
  const folder = certificateFolder(settings.dataDir);
  const challenges = createChallengeResponder();
  const authority: Authority = {
    directoryUrl: settings.acmeDirectoryUrl ?? LETS_ENCRYPT,
    trusted: [...getCACertificates("default"), ...(settings.acmeCa ? [settings.acmeCa] : [])],
  };
  const check = createCheck(settings, challenges, log);
  const renewer = await openRenewer({
    folder,
    obtain: (name, stop) =>
      obtainCertificate(
        {
          folder,
          challenges,
          authority,
          check: (checked) => check(checked, stop),
          pause: (ms) => sleep(ms, undefined, { signal: stop, ref: false }),
          stop,
        },
        name,
      ),
    now,
    log,
  });
  return {
    source: renewer,
    begin: renewer.begin,
    challenges,
    setUpDomain: (domain) => folder.request(certifiableName(domain)),
  };
}

/**
 * With Let's Encrypt, a failed check ends the attempt: it resolves the same public names, and counts
 * failures. A private authority may resolve names that this machine cannot, so it decides itself.
 */
function createCheck(
  { acmeDirectoryUrl }: CertificateSettings,
  challenges: ChallengeResponder,
  log: GateLog,
): (name: string, stop: AbortSignal) => Promise<void> {
  return async (name, stop) => {
    try {
      await checkDomain(name, challenges, stop);
    } catch (error) {
      if (acmeDirectoryUrl === undefined || stop.aborted) throw error;
      log.warn(
        { domain: name, reason: messageOf(error) },
        "the domain check failed, requesting the certificate anyway",
      );
    }
  };
}
