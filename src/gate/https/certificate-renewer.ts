import { getErrorMessage } from "../../lib/fault.ts";
import { type Polling, poll } from "../poll.ts";
import type { GateLog } from "../server-log.ts";
import { AcmeProblem } from "./acme/problem.ts";
import { type Certificate, CertificateSource } from "./certificate.ts";
import type { CertificateFolder, DomainState } from "./certificate-folder.ts";
import {
  getDueTime,
  getReissuePause,
  getRetryPause,
  isFarAhead,
  type Progress,
} from "./renewal.ts";

/** The folder is polled, because commands in other processes request and remove names. */
const POLL_MS = 1_000;

export interface RenewerServices {
  readonly folder: CertificateFolder;
  obtain(name: string, stop: AbortSignal): Promise<Certificate>;
  now(): number;
  readonly log: GateLog;
}

type DomainCertificate = Pick<DomainState, "certificate" | "lastAttempt">;
/** Describes an attempt that has begun, with the number of failures before it. */
type StartedAttempt = Required<Omit<Progress, "nextAt" | "cause">>;

/** Obtains a certificate for each name in the folder, and renews it in time. Call `loadNames` first. */
export class Renewer {
  readonly source: CertificateSource = new CertificateSource();
  readonly #services: RenewerServices;
  readonly #domains = new Map<string, DomainCertificate>();
  readonly #attempts = new Map<string, Promise<void>>();
  #polling: Polling | undefined;
  #lastLogged = "";

  constructor(services: RenewerServices) {
    this.#services = services;
  }

  /**
   * Starts requesting certificates. The gate must already respond to HTTP, or the domain check
   * fails.
   */
  begin(pollMs: number = POLL_MS): void {
    this.#polling ??= poll((stop) => this.#check(stop), pollMs);
  }

  async stop(): Promise<void> {
    await this.#polling?.stop();
    await Promise.all(this.#attempts.values());
  }

  /** Loads the stored certificates of new names, and drops the certificates of removed names. */
  async loadNames(): Promise<void> {
    const { folder, log } = this.#services;
    const names = await folder.listNames();
    for (const [name, { certificate }] of this.#domains) {
      const stored = certificate && folder.read(name, "certificate.pem").catch(() => "unreadable");
      // If the name was removed and added again at once, its old key must not be used any more.
      const isGone = certificate !== undefined && (await stored) === undefined;
      if (isGone || !names.includes(name)) this.#domains.delete(name);
    }
    for (const name of names) {
      if (this.#domains.has(name)) continue;
      const { certificate, unusable } = await folder.readCertificate(name);
      this.#domains.set(name, { certificate });
      if (unusable !== undefined) {
        const fields = { domain: name, reason: unusable };
        log.warn(fields, "the stored certificate cannot be used");
      }
    }
    this.#updateSource();
  }

  #updateSource(): void {
    const domains = [...this.#domains.values()];
    this.source.replace(domains.flatMap(({ certificate }) => certificate ?? []));
  }

  /** Logs an error once, although the check repeats every second. */
  async #check(stop: AbortSignal): Promise<void> {
    const reason = await this.#renewDue(stop).then(() => "", getErrorMessage);
    if (reason !== "" && reason !== this.#lastLogged && !stop.aborted) this.#logTrouble(reason);
    this.#lastLogged = reason;
  }

  /** Starts the attempts in parallel, so that a slow attempt does not delay other names. */
  async #renewDue(stop: AbortSignal): Promise<void> {
    const { folder, now } = this.#services;
    await this.loadNames();
    for (const [name, { certificate, lastAttempt }] of this.#domains) {
      if (stop.aborted || this.#attempts.has(name)) continue;
      // The result in memory comes first: if the file cannot be written (full disk), the pause
      // still applies.
      const last = lastAttempt ?? (await folder.lastAttempt(name));
      const counted = last !== undefined && isFarAhead(last, now()) ? undefined : last;
      // The request time is read before the attempt, so that a request during it starts another
      // attempt.
      const startedAttempt = {
        failures: last?.failures ?? 0,
        requestedAt: await folder.readRequestTime(name),
      };
      if (now() < getDueTime(certificate, counted, startedAttempt.requestedAt)) continue;
      const attempt = this.#attemptRenewal(name, { ...startedAttempt, lastAt: now() }, stop);
      const ended = attempt.finally(() => this.#attempts.delete(name));
      this.#attempts.set(name, ended);
    }
  }

  async #attemptRenewal(
    name: string,
    startedAttempt: StartedAttempt,
    stop: AbortSignal,
  ): Promise<void> {
    const { folder, obtain, log, now } = this.#services;
    let certificate: Certificate | undefined;
    let lastAttempt: Progress;
    log.info({ domain: name }, "getting a certificate");
    try {
      certificate = await obtain(name, stop);
      const until = certificate.notAfter.toISOString();
      lastAttempt = {
        ...startedAttempt,
        failures: 0,
        nextAt: now() + getReissuePause(certificate),
      };
      const renewal = new Date(getDueTime(certificate, lastAttempt, startedAttempt.requestedAt));
      log.info({ domain: name, until, renewal: renewal.toISOString() }, "stored a certificate");
    } catch (error) {
      if (stop.aborted) return;
      const [failures, reason] = [startedAttempt.failures + 1, getErrorMessage(error)];
      const askedForMs = error instanceof AcmeProblem ? error.retryAfterMs : undefined;
      const nextAt = now() + getRetryPause(failures, askedForMs);
      lastAttempt = { ...startedAttempt, failures, nextAt, cause: reason };
      log.error({ domain: name, reason, next: new Date(nextAt).toISOString() }, "no certificate");
    }
    // A name that was removed in the meantime has no folder to write to.
    const domain = this.#domains.get(name);
    if (domain === undefined) return;
    this.#domains.set(name, { certificate: certificate ?? domain.certificate, lastAttempt });
    this.#updateSource();
    await folder.write(name, "progress.json", lastAttempt).catch((error) => {
      if (this.#domains.has(name)) this.#logTrouble(getErrorMessage(error));
    });
  }

  #logTrouble(reason: string): void {
    this.#services.log.error({ reason }, "the certificate folder cannot be read or written");
  }
}
