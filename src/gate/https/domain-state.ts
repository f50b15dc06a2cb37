import { messageOf } from "../../core/fault.ts";
import { type Certificate, parseStored } from "./certificate.ts";
import type { CertificateFolder } from "./certificate-folder.ts";
import { dueAt, renewalAt } from "./renewal.ts";

/** The state of one name, read from the gate's files. */
export interface DomainState {
  readonly name: string;
  readonly certificate: { readonly notAfter: Date; readonly renewalAt: Date } | undefined;
  /** Why the stored certificate cannot be used. The gate requests a new one. */
  readonly unusable: string | undefined;
  readonly lastAttempt: { readonly at: Date; readonly cause: string | undefined } | undefined;
  /** In the past if a running gate would start the attempt at once. */
  readonly nextAttemptAt: Date;
}

export async function domainStates(folder: CertificateFolder): Promise<readonly DomainState[]> {
  return Promise.all((await folder.names()).map((name) => stateOf(folder, name)));
}

async function stateOf(folder: CertificateFolder, name: string): Promise<DomainState> {
  const { certificate, unusable } = parsed(await folder.certificate(name), name);
  const progress = await folder.progress(name);
  return {
    name,
    certificate: certificate && {
      notAfter: certificate.notAfter,
      renewalAt: new Date(renewalAt(certificate)),
    },
    unusable,
    lastAttempt: progress && { at: new Date(progress.lastAt), cause: progress.cause },
    nextAttemptAt: new Date(dueAt(certificate, progress, await folder.requestedAt(name))),
  };
}

interface Parsed {
  readonly certificate?: Certificate;
  readonly unusable?: string;
}

function parsed(pem: string | undefined, name: string): Parsed {
  try {
    return pem === undefined ? {} : { certificate: parseStored(pem, name) };
  } catch (error) {
    return { unusable: messageOf(error) };
  }
}
