import { messageOf } from "../../core/base/fault.ts";
import { type Certificate, parseStored } from "./certificate.ts";
import type { CertificateFolder, Progress } from "./certificate-folder.ts";
import { dueAt } from "./renewal.ts";

/** The state of one name, read from the gate's files. */
export interface DomainState {
  readonly name: string;
  readonly certificate?: Certificate | undefined;
  /** Why the stored certificate cannot be used. The gate requests a new one. */
  readonly unusable?: string | undefined;
  readonly lastAttempt?: Progress | undefined;
  /** In the past if a running gate would start the attempt at once. */
  readonly nextAttemptAt: number;
}

export async function domainStates(folder: CertificateFolder): Promise<readonly DomainState[]> {
  return Promise.all((await folder.names()).map((name) => stateOf(folder, name)));
}

/** What cannot be read of a name is part of its state, so that it hides no other name. */
async function stateOf(folder: CertificateFolder, name: string): Promise<DomainState> {
  const stored = await storedCertificate(folder, name);
  const lastAttempt = await folder.progress(name).catch(() => undefined);
  const nextAttemptAt = dueAt(stored.certificate, lastAttempt, await folder.requestedAt(name));
  return { name, ...stored, lastAttempt, nextAttemptAt };
}

/** The stored certificate of a name, or why it cannot be used. */
export async function storedCertificate(
  folder: CertificateFolder,
  name: string,
): Promise<Pick<DomainState, "certificate" | "unusable">> {
  try {
    const pem = await folder.certificate(name);
    return pem === undefined ? {} : { certificate: parseStored(pem, name) };
  } catch (error) {
    return { unusable: messageOf(error) };
  }
}
