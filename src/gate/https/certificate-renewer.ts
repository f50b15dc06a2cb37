import { messageOf } from "../../core/base/fault.ts";
import { type Polling, poll } from "../poll.ts";
import type { GateLog } from "../server-log.ts";
import { AcmeProblem } from "./acme/problem.ts";
import { type Certificate, CertificateSource } from "./certificate.ts";
import type { CertificateFolder, DomainState } from "./certificate-folder.ts";
import { dueAt, isFarAhead, type Progress, pauseAfter, reissuePause } from "./renewal.ts";

/** Commands request and remove names in other processes. */
const POLL_MS = 1_000;

export interface RenewerPorts {
  readonly folder: CertificateFolder;
  obtain(name: string, stop: AbortSignal): Promise<Certificate>;
  now(): number;
  readonly log: GateLog;
}

type Known = Pick<DomainState, "certificate" | "lastAttempt">;
/** An attempt that has begun, with the failures before it. */
type Begun = Required<Omit<Progress, "nextAt" | "cause">>;

/** Obtains a certificate for each name in the folder, and renews it in time. Call `loadNames` first. */
export class Renewer {
  readonly source: CertificateSource = new CertificateSource();
  readonly #ports: RenewerPorts;
  readonly #known = new Map<string, Known>();
  readonly #underWay = new Map<string, Promise<void>>();
  #polling: Polling | undefined;
  #lastLogged = "";

  constructor(ports: RenewerPorts) {
    this.#ports = ports;
  }

  /** Starts requesting certificates. The gate must answer by then, or the domain check fails. */
  begin(pollMs: number = POLL_MS): void {
    this.#polling ??= poll((stop) => this.#check(stop), pollMs);
  }

  async stop(): Promise<void> {
    await this.#polling?.stop();
    await Promise.all(this.#underWay.values());
  }

  /** Loads the stored certificates of new names, and drops those that were removed. */
  async loadNames(): Promise<void> {
    const { folder, log } = this.#ports;
    const wanted = await folder.names();
    for (const [name, { certificate }] of this.#known) {
      const stored = certificate && folder.read(name, "certificate.pem").catch(() => "unreadable");
      // The name was removed, and added again at once: its key must not be used any more.
      const isGone = certificate !== undefined && (await stored) === undefined;
      if (isGone || !wanted.includes(name)) this.#known.delete(name);
    }
    for (const name of wanted) {
      if (this.#known.has(name)) continue;
      const { certificate, unusable } = await folder.stored(name);
      this.#known.set(name, { certificate });
      if (unusable !== undefined) {
        const fields = { domain: name, reason: unusable };
        log.warn(fields, "the stored certificate cannot be used");
      }
    }
    this.#serve();
  }

  #serve(): void {
    const known = [...this.#known.values()];
    this.source.replace(known.flatMap(({ certificate }) => certificate ?? []));
  }

  /** Logs an error once, not every second while it lasts. */
  async #check(stop: AbortSignal): Promise<void> {
    const reason = await this.#renewDue(stop).then(() => "", messageOf);
    if (reason !== "" && reason !== this.#lastLogged && !stop.aborted) this.#logTrouble(reason);
    this.#lastLogged = reason;
  }

  /** Starts the attempts in parallel, so that a slow one does not delay other names. */
  async #renewDue(stop: AbortSignal): Promise<void> {
    const { folder, now } = this.#ports;
    await this.loadNames();
    for (const [name, { certificate, lastAttempt }] of this.#known) {
      if (stop.aborted || this.#underWay.has(name)) continue;
      // In memory first: if the file cannot be written (full disk), the pause still applies.
      const last = lastAttempt ?? (await folder.lastAttempt(name));
      const counted = last !== undefined && isFarAhead(last, now()) ? undefined : last;
      // Read before the attempt, so that a request during it starts another one.
      const begun = { failures: last?.failures ?? 0, requestedAt: await folder.requestedAt(name) };
      if (now() < dueAt(certificate, counted, begun.requestedAt)) continue;
      const attempt = this.#attempt(name, { ...begun, lastAt: now() }, stop);
      const ended = attempt.finally(() => this.#underWay.delete(name));
      this.#underWay.set(name, ended);
    }
  }

  async #attempt(name: string, begun: Begun, stop: AbortSignal): Promise<void> {
    const { folder, obtain, log, now } = this.#ports;
    let certificate: Certificate | undefined;
    let lastAttempt: Progress;
    log.info({ domain: name }, "getting a certificate");
    try {
      certificate = await obtain(name, stop);
      const until = certificate.notAfter.toISOString();
      lastAttempt = { ...begun, failures: 0, nextAt: now() + reissuePause(certificate) };
      const renewal = new Date(dueAt(certificate, lastAttempt, begun.requestedAt));
      log.info({ domain: name, until, renewal: renewal.toISOString() }, "stored a certificate");
    } catch (error) {
      if (stop.aborted) return;
      const [failures, reason] = [begun.failures + 1, messageOf(error)];
      const askedForMs = error instanceof AcmeProblem ? error.retryAfterMs : undefined;
      const nextAt = now() + pauseAfter(failures, askedForMs);
      lastAttempt = { ...begun, failures, nextAt, cause: reason };
      log.error({ domain: name, reason, next: new Date(nextAt).toISOString() }, "no certificate");
    }
    // A name that was removed in the meantime has no folder to write to.
    const known = this.#known.get(name);
    if (known === undefined) return;
    this.#known.set(name, { certificate: certificate ?? known.certificate, lastAttempt });
    this.#serve();
    await folder.write(name, "progress.json", lastAttempt).catch((error) => {
      if (this.#known.has(name)) this.#logTrouble(messageOf(error));
    });
  }

  #logTrouble(reason: string): void {
    this.#ports.log.error({ reason }, "the certificate folder cannot be read or written");
  }
}
