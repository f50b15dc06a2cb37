import { constants, createPrivateKey, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { createSecureContext, type SecureContext, type SecureContextOptions } from "node:tls";
import { Fault, getErrorMessage } from "../../lib/fault.ts";
import { formatUrlHost } from "../reach.ts";
import type { HttpChallenges } from "./challenges.ts";

/** Contains a certificate chain and its matching private key. */
export interface Certificate {
  readonly pem: { readonly cert: string; readonly key: string };
  readonly context: SecureContext;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Lists the names without wildcards, then the IP addresses, as they are written in a URL. */
  readonly hosts: readonly string[];
  /** @param host a name, or an IP address as it is written in a URL */
  covers(host: string): boolean;
}

/**
 * Mozilla's intermediate list has only ciphers with forward secrecy and authenticated encryption.
 */
const CIPHERS = [
  "TLS_AES_128_GCM_SHA256",
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
].join(":");

/**
 * Renegotiation is off, because a client could make the server sign repeatedly on one connection.
 */
export const TLS_OPTIONS: Readonly<SecureContextOptions> = {
  minVersion: "TLSv1.2",
  ciphers: CIPHERS,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
};

export function parseCertificate(chain: string, key: string): Certificate {
  const first = parsePem("certificate", () => new X509Certificate(chain));
  const privateKey = parsePem("key", () => createPrivateKey(key));
  if (!first.checkPrivateKey(privateKey)) {
    throw new Fault("certificate_key_differs", "the key belongs to another certificate");
  }
  return {
    pem: { cert: chain, key },
    context: parsePem("chain", () => createSecureContext({ cert: chain, key, ...TLS_OPTIONS })),
    notBefore: first.validFromDate,
    notAfter: first.validToDate,
    hosts: [
      ...listAlternativeNames(first, "DNS:").flatMap((name) =>
        name.includes("*") ? [] : name.toLowerCase(),
      ),
      ...listAlternativeNames(first, "IP Address:").map(
        (ip) => new URL(`http://${formatUrlHost(ip)}`).hostname,
      ),
    ],
    covers(host) {
      const address = host.replace(/^\[(.*)\]$/, "$1");
      return isIP(address) === 0
        ? first.checkHost(host, { subject: "never" }) !== undefined
        : first.checkIP(address) !== undefined;
    },
  };
}

/** Reads a PEM file that contains both the key and the chain of a certificate for a name. */
export function parseStoredCertificate(pem: string, name: string): Certificate {
  const certificate = parseCertificate(pem, pem);
  if (!certificate.covers(name)) {
    throw new Fault("certificate_other_name", `the certificate is not for ${name}`);
  }
  return certificate;
}

/** Keeps only the first line of the cause, because the rest could contain bytes of a key. */
function parsePem<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Fault(
      "certificate_unreadable",
      `the ${what} cannot be used: ${getErrorMessage(error).split("\n")[0]}`,
    );
  }
}

const listAlternativeNames = (
  { subjectAltName = "" }: X509Certificate,
  kind: string,
): readonly string[] =>
  subjectAltName
    .split(", ")
    .filter((entry) => entry.startsWith(kind))
    .map((entry) => entry.slice(kind.length));

/** Holds the certificates that the gate currently has. */
export class CertificateSource {
  #current: readonly Certificate[] = [];
  readonly #listeners: (() => void)[] = [];

  get current(): readonly Certificate[] {
    return this.#current;
  }

  /** Calls the listener now and after each change. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
    listener();
  }

  /**
   * Replaces the certificates. It calls no listener if the certificates and their order stay the
   * same.
   */
  replace(next: readonly Certificate[]): void {
    const { length } = this.#current;
    if (
      next.length === length &&
      next.every((certificate, at) => certificate === this.#current[at])
    )
      return;
    this.#current = next;
    for (const listener of this.#listeners) listener();
  }

  /**
   * Returns the certificate that covers the host. Without a host or a match, returns the first one.
   */
  findCertificate(host: string | undefined): Certificate | undefined {
    const covering =
      host === undefined ? undefined : this.current.find((certificate) => certificate.covers(host));
    return covering ?? this.current[0];
  }

  get earliestExpiry(): Date | undefined {
    return this.current.map(({ notAfter }) => notAfter).sort((a, b) => Number(a) - Number(b))[0];
  }
}

/** Provides certificates from one origin, and connects that origin to the gate. */
export interface Certificates {
  readonly source: CertificateSource;
  /** Starts requesting missing certificates. Call it once the gate responds to plain HTTP. */
  begin?(): void;
  stop(): Promise<void>;
  /** `challenges` and `setUpDomain` are set only with a certificate authority. */
  readonly challenges?: HttpChallenges;
  readonly setUpDomain?: (domain: string) => Promise<void>;
}
