import { messageOf } from "../../core/base/fault.ts";
import { type Polling, poll } from "../poll.ts";
import type { GateLog } from "../server-log.ts";
import { AcmeProblem } from "./acme/problem.ts";
import type { Certificate } from "./certificate.ts";
import type { CertificateFolder, Progress } from "./certificate-folder.ts";
import { CertificateSource } from "./certificate-source.ts";
import { storedCertificate } from "./domain-state.ts";
import { type Attempts, dueAt, pauseAfter, renewalAt } from "./renewal.ts";

/** Commands request and remove names in other processes. */
const POLL_MS = 1_000;

export interface RenewerPorts {
  readonly folder: CertificateFolder;
  obtain(name: string, stop: AbortSignal): Promise<Certificate>;
  now(): number;
  readonly log: GateLog;
}

/** What is known about a requested name. */
interface Known {
  readonly certificate?: Certificate | undefined;
  readonly progress?: Progress | undefined;
}

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

  /** Loads the stored certificates of new names, and drops those of removed names. */
  async loadNames(): Promise<void> {
    const { folder, log } = this.#ports;
    const wanted = await folder.names();
    for (const name of this.#known.keys()) if (!wanted.includes(name)) this.#known.delete(name);
    for (const name of wanted) {
      if (this.#known.has(name)) continue;
      const { certificate, unusable } = await storedCertificate(folder, name);
      this.#learn(name, { certificate });
      if (unusable !== undefined) {
        const fields = { domain: name, reason: unusable };
        log.warn(fields, "the stored certificate cannot be used");
      }
    }
    this.#serve();
  }

  #learn(name: string, news: Known): void {
    this.#known.set(name, { ...this.#known.get(name), ...news });
  }

  #serve(): void {
    const known = [...this.#known.values()];
    this.source.replace(known.flatMap(({ certificate }) => certificate ?? []));
  }

  /** Logs an error once, not every second while it lasts. */
  async #check(stop: AbortSignal): Promise<void> {
    try {
      await this.#renewDue(stop);
      this.#lastLogged = "";
    } catch (error) {
      const isNew = messageOf(error) !== this.#lastLogged;
      if (isNew && !stop.aborted) this.#logFolderError(error);
      this.#lastLogged = messageOf(error);
    }
  }

  /** Starts the attempts in parallel, so that a slow one does not delay other names. */
  async #renewDue(stop: AbortSignal): Promise<void> {
    const { folder, now } = this.#ports;
    await this.loadNames();
    for (const [name, { certificate, progress }] of this.#known) {
      if (stop.aborted || this.#underWay.has(name)) continue;
      // In memory first: if the file cannot be written (full disk), the pause still applies.
      // Without a record that can be read, no attempt counts as made.
      const before = progress ?? (await folder.progress(name).catch(() => undefined));
      if (now() < dueAt(certificate, before, await folder.requestedAt(name))) continue;
      const attempt = this.#attempt(name, before, stop).finally(() => this.#underWay.delete(name));
      this.#underWay.set(name, attempt);
    }
  }

  async #attempt(name: string, before: Attempts | undefined, stop: AbortSignal): Promise<void> {
    const { folder, obtain, log, now } = this.#ports;
    // The start, so that a request made during the attempt starts another one.
    const lastAt = now();
    let result: Known & { readonly progress: Progress };
    log.info({ domain: name }, "getting a certificate");
    try {
      const certificate = await obtain(name, stop);
      const until = certificate.notAfter.toISOString();
      const renewal = new Date(renewalAt(certificate)).toISOString();
      log.info({ domain: name, until, renewal }, "stored a certificate");
      const progress = { failures: 0, lastAt, nextAt: 0, cause: undefined };
      result = { certificate, progress };
    } catch (error) {
      if (stop.aborted) return;
      const progress = failure(lastAt, now(), before, error);
      const next = new Date(progress.nextAt).toISOString();
      log.error({ domain: name, reason: progress.cause, next }, "no certificate");
      result = { progress };
    }
    // A name that was removed in the meantime has no folder to write to.
    if (!this.#known.has(name)) return;
    this.#learn(name, result);
    this.#serve();
    await folder.writeProgress(name, result.progress).catch((error) => {
      if (this.#known.has(name)) this.#logFolderError(error);
    });
  }

  #logFolderError(error: unknown): void {
    const fields = { reason: messageOf(error) };
    this.#ports.log.error(fields, "the certificate folder cannot be read or written");
  }
}

function failure(
  lastAt: number,
  endedAt: number,
  before: Attempts | undefined,
  error: unknown,
): Progress {
  const failures = (before?.failures ?? 0) + 1;
  const askedForMs = error instanceof AcmeProblem ? error.retryAfterMs : undefined;
  const nextAt = endedAt + pauseAfter(failures, askedForMs);
  return { failures, lastAt, nextAt, cause: messageOf(error) };
}
