import type { Certificate } from "./certificate.ts";
import type { Challenges } from "./challenges.ts";

/** The certificates that the gate currently has. */
export class CertificateSource {
  #current: readonly Certificate[] = [];
  readonly #listeners: (() => void)[] = [];

  get current(): readonly Certificate[] {
    return this.#current;
  }

  /** Calls back now, and after each change. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
    listener();
  }

  /** The same certificates in the same order are no change. */
  replace(next: readonly Certificate[]): void {
    const { length } = this.#current;
    if (next.length === length && next.every((one, at) => one === this.#current[at])) return;
    this.#current = next;
    for (const listener of this.#listeners) listener();
  }

  /** The certificate that covers the host; the first one for no host or an unknown one. */
  for(host: string | undefined): Certificate | undefined {
    const covering = host === undefined ? undefined : this.current.find((one) => one.covers(host));
    return covering ?? this.current[0];
  }

  get earliestExpiry(): Date | undefined {
    return this.current.map(({ notAfter }) => notAfter).sort((a, b) => Number(a) - Number(b))[0];
  }
}

/** Certificates from one origin, and their connections to the gate. */
export interface Certificates {
  readonly source: CertificateSource;
  /** Starts requesting missing certificates. Call it once the gate answers over plain HTTP. */
  begin?(): void;
  stop(): Promise<void>;
  /** Set only with a certificate authority, as is `setUpDomain`. */
  readonly challenges?: Challenges;
  readonly setUpDomain?: (domain: string) => Promise<void>;
}
