import { type Certificate, parseStored } from "./certificate.ts";
import type { CertificateFolder } from "./certificate-folder.ts";
import { dueAt, renewalAt } from "./renewal.ts";

/** How things are with one name, from what the gate has written down. */
export interface DomainState {
  readonly name: string;
  readonly certificate: { readonly notAfter: Date; readonly renewalAt: Date } | undefined;
  readonly lastAttempt: { readonly at: Date; readonly cause: string | undefined } | undefined;
  /** In the past where a gate that runs would begin right away. */
  readonly nextAttemptAt: Date;
}

export async function domainStates(folder: CertificateFolder): Promise<readonly DomainState[]> {
  return Promise.all((await folder.names()).map((name) => stateOf(folder, name)));
}

async function stateOf(folder: CertificateFolder, name: string): Promise<DomainState> {
  const certificate = readable(await folder.certificate(name), name);
  const progress = await folder.progress(name);
  return {
    name,
    certificate:
      certificate === undefined
        ? undefined
        : { notAfter: certificate.notAfter, renewalAt: new Date(renewalAt(certificate)) },
    lastAttempt:
      progress === undefined ? undefined : { at: new Date(progress.lastAt), cause: progress.cause },
    nextAttemptAt: new Date(dueAt(certificate, progress, await folder.requestedAt(name))),
  };
}

/** One that is of no use is none: the gate gets another in its place. */
function readable(pem: string | undefined, name: string): Certificate | undefined {
  try {
    return pem === undefined ? undefined : parseStored(pem, name);
  } catch {
    return undefined;
  }
}
