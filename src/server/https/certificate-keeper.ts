import { setTimeout as sleep } from "node:timers/promises";
import { AcmeProblem } from "../../acme/problem.ts";
import { messageOf } from "../../core/fault.ts";
import type { GateLog } from "../server-log.ts";
import type { Certificate } from "./certificate.ts";
import type { CertificateFolder } from "./certificate-folder.ts";
import type { CertificateSource } from "./certificate-source.ts";
import { keptCertificate } from "./obtain-certificate.ts";
import { type Attempts, dueAt, pauseAfter, renewalAt } from "./renewal.ts";

/** How soon a name that a command has added is noticed. */
const LOOK_EVERY_MS = 1_000;

export interface KeeperPorts {
  readonly folder: CertificateFolder;
  obtain(name: string, stop: AbortSignal): Promise<Certificate>;
  now(): number;
  readonly log: GateLog;
}

export interface CertificateKeeper extends CertificateSource {
  /** Begins to ask for what is missing. The gate has to answer by then, or it is not found. */
  begin(): void;
}

/** Sees to it that each name in the folder has a certificate, and renews it in time. */
export async function openCertificateKeeper(ports: KeeperPorts): Promise<CertificateKeeper> {
  const stopping = new AbortController();
  const certificates = new Map<string, Certificate>();
  const listeners: (() => void)[] = [];
  const changed = (): void => {
    for (const tell of listeners) tell();
  };
  const take = (name: string, certificate: Certificate): void => {
    certificates.set(name, certificate);
    changed();
  };

  const known = new Set<string>();
  /** Takes what is kept of names that are new, and lets go of those that are forgotten. */
  const names = async (): Promise<readonly string[]> => {
    const wanted = await ports.folder.names();
    for (const name of known) {
      if (wanted.includes(name)) continue;
      known.delete(name);
      if (certificates.delete(name)) changed();
    }
    for (const name of wanted) {
      if (known.has(name)) continue;
      known.add(name);
      await takeKept(ports, name, take);
    }
    return wanted;
  };

  const look = async (): Promise<void> => {
    for (const name of await names()) {
      if (stopping.signal.aborted) return;
      await attemptIfDue(ports, name, certificates.get(name), take, stopping.signal);
    }
  };

  await names();
  let keeping: Promise<void> | undefined;
  return {
    begin() {
      keeping ??= forever(look, ports, stopping.signal);
    },
    current: () => [...certificates.values()],
    onChange(listener) {
      listeners.push(listener);
      listener();
    },
    async stop() {
      stopping.abort();
      await keeping;
    },
  };
}

type Take = (name: string, certificate: Certificate) => void;

async function forever(
  look: () => Promise<void>,
  { log }: KeeperPorts,
  stop: AbortSignal,
): Promise<void> {
  let said = "";
  while (!stop.aborted) {
    try {
      await look();
      said = "";
    } catch (error) {
      // Said once: a folder that cannot be read now cannot be read in a second either.
      if (messageOf(error) !== said && !stop.aborted) {
        said = messageOf(error);
        log.error({ reason: said }, "the kept certificates cannot be read or written");
      }
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal: stop, ref: false }).catch(() => {});
  }
}

async function takeKept({ folder, log }: KeeperPorts, name: string, take: Take): Promise<void> {
  const pem = await folder.certificate(name);
  if (pem === undefined) return;
  try {
    take(name, keptCertificate(pem, name));
  } catch (error) {
    log.warn({ domain: name, reason: messageOf(error) }, "the kept certificate is of no use");
  }
}

async function attemptIfDue(
  ports: KeeperPorts,
  name: string,
  certificate: Certificate | undefined,
  take: Take,
  stop: AbortSignal,
): Promise<void> {
  const { folder, log, now } = ports;
  const attempts = await folder.progress(name);
  if (now() < dueAt(certificate, attempts, await folder.askedAt(name))) return;
  log.info({ domain: name }, certificate === undefined ? "getting a certificate" : "renewing");
  try {
    const obtained = await ports.obtain(name, stop);
    await folder.writeProgress(name, succeeded(now()));
    const renewal = new Date(renewalAt(obtained)).toISOString();
    log.info({ domain: name, until: obtained.notAfter.toISOString(), renewal }, "certificate kept");
    take(name, obtained);
  } catch (error) {
    if (stop.aborted) return;
    await fail(ports, name, attempts, error);
  }
}

async function fail(
  { folder, log, now }: KeeperPorts,
  name: string,
  before: Attempts | undefined,
  error: unknown,
): Promise<void> {
  const failures = (before?.failures ?? 0) + 1;
  const askedForMs = error instanceof AcmeProblem ? error.retryAfterMs : undefined;
  const cause = messageOf(error);
  const lastAt = now();
  const nextAt = lastAt + pauseAfter(failures, askedForMs);
  log.error(
    { domain: name, reason: cause, next: new Date(nextAt).toISOString() },
    "no certificate",
  );
  await folder.writeProgress(name, { failures, lastAt, nextAt, cause });
}

const succeeded = (lastAt: number) => ({ failures: 0, lastAt, nextAt: 0, cause: undefined });
