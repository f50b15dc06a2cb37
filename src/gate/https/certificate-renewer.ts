import { messageOf } from "../../core/fault.ts";
import type { GateLog } from "../server-log.ts";
import { AcmeProblem } from "./acme/problem.ts";
import { type Certificate, parseStored } from "./certificate.ts";
import type { CertificateFolder, Progress } from "./certificate-folder.ts";
import { type CertificateSource, createChangeEvent, poll } from "./certificate-source.ts";
import { type Attempts, dueAt, pauseAfter, renewalAt } from "./renewal.ts";

export interface RenewerPorts {
  readonly folder: CertificateFolder;
  obtain(name: string, stop: AbortSignal): Promise<Certificate>;
  now(): number;
  readonly log: GateLog;
}

export interface Renewer extends CertificateSource {
  /** Starts requesting certificates. The gate must answer by then, or the domain check fails. */
  begin(): void;
}

/** Obtains a certificate for each name in the folder, and renews it in time. */
export async function openRenewer(ports: RenewerPorts): Promise<Renewer> {
  const stopping = new AbortController();
  const certificates = new Map<string, Certificate>();
  const { onChange, emit: changed } = createChangeEvent();
  const take = (name: string, certificate: Certificate): void => {
    certificates.set(name, certificate);
    changed();
  };

  const known = new Set<string>();
  const lastAttempts = new Map<string, Progress>();
  /** Loads the stored certificates of new names, and drops those of removed names. */
  const names = async (): Promise<readonly string[]> => {
    const wanted = await ports.folder.names();
    for (const name of known) {
      if (wanted.includes(name)) continue;
      known.delete(name);
      lastAttempts.delete(name);
      if (certificates.delete(name)) changed();
    }
    for (const name of wanted) {
      if (known.has(name)) continue;
      known.add(name);
      await loadStored(ports, name, take);
    }
    return wanted;
  };

  const underWay = new Map<string, Promise<void>>();
  /** Starts the attempts in parallel, so that a slow one does not delay other names. */
  const renewDue = async (): Promise<void> => {
    for (const name of await names()) {
      if (stopping.signal.aborted || underWay.has(name)) continue;
      // In memory first: if the file cannot be written (full disk), the pause still applies.
      const before = lastAttempts.get(name) ?? (await ports.folder.progress(name));
      const due = dueAt(certificates.get(name), before, await ports.folder.requestedAt(name));
      if (ports.now() < due) continue;
      const attempt = attemptFor(name, before).finally(() => underWay.delete(name));
      underWay.set(name, attempt);
    }
  };

  const attemptFor = async (name: string, before: Attempts | undefined): Promise<void> => {
    const progress = await attemptOnce(ports, name, before, take, stopping.signal);
    if (progress === undefined) return;
    lastAttempts.set(name, progress);
    try {
      await ports.folder.writeProgress(name, progress);
    } catch (error) {
      // A name that was removed in the meantime has no folder to write to.
      if (known.has(name)) logFolderError(ports, error);
    }
  };

  await names();
  let polling: Promise<void> | undefined;
  return {
    begin() {
      polling ??= poll(loggingOnce(renewDue, ports, stopping.signal), stopping.signal);
    },
    current: () => [...certificates.values()],
    onChange,
    async stop() {
      stopping.abort();
      await polling;
      await Promise.all(underWay.values());
    },
  };
}

type Take = (name: string, certificate: Certificate) => void;

/** Logs an error once, not every second while it lasts. */
function loggingOnce(
  run: () => Promise<void>,
  ports: RenewerPorts,
  stop: AbortSignal,
): () => Promise<void> {
  let lastLogged = "";
  return async () => {
    try {
      await run();
      lastLogged = "";
    } catch (error) {
      if (messageOf(error) !== lastLogged && !stop.aborted) logFolderError(ports, error);
      lastLogged = messageOf(error);
    }
  };
}

function logFolderError({ log }: RenewerPorts, error: unknown): void {
  log.error({ reason: messageOf(error) }, "the certificate folder cannot be read or written");
}

async function loadStored({ folder, log }: RenewerPorts, name: string, take: Take): Promise<void> {
  const pem = await folder.certificate(name);
  if (pem === undefined) return;
  try {
    take(name, parseStored(pem, name));
  } catch (error) {
    log.warn({ domain: name, reason: messageOf(error) }, "the stored certificate cannot be used");
  }
}

/** Returns the result, or `undefined` if the gate stops in the meantime. */
async function attemptOnce(
  { obtain, log, now }: RenewerPorts,
  name: string,
  before: Attempts | undefined,
  take: Take,
  stop: AbortSignal,
): Promise<Progress | undefined> {
  log.info({ domain: name }, "getting a certificate");
  try {
    const obtained = await obtain(name, stop);
    const renewal = new Date(renewalAt(obtained)).toISOString();
    log.info(
      { domain: name, until: obtained.notAfter.toISOString(), renewal },
      "stored a certificate",
    );
    take(name, obtained);
    return { failures: 0, lastAt: now(), nextAt: 0, cause: undefined };
  } catch (error) {
    if (stop.aborted) return undefined;
    const failed = failure(now(), before, error);
    const next = new Date(failed.nextAt).toISOString();
    log.error({ domain: name, reason: failed.cause, next }, "no certificate");
    return failed;
  }
}

function failure(lastAt: number, before: Attempts | undefined, error: unknown): Progress {
  const failures = (before?.failures ?? 0) + 1;
  const askedForMs = error instanceof AcmeProblem ? error.retryAfterMs : undefined;
  const nextAt = lastAt + pauseAfter(failures, askedForMs);
  return { failures, lastAt, nextAt, cause: messageOf(error) };
}
