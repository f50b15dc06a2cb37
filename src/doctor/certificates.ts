import { once } from "node:events";
import { isIP } from "node:net";
import { connect } from "node:tls";
import { EXPIRES_SOON_MS, readCertificateFiles } from "../gate/https/certificate-files.ts";
import { CertificateFolder, type DomainState } from "../gate/https/certificate-folder.ts";
import type { Settings } from "../gate/settings/settings.ts";
import { getErrorCode, getErrorMessage } from "../lib/fault.ts";
import { type Check, collectFindings, createCheck, type Finding, hint, problem } from "./check.ts";

export const checkCertificateFiles: Check = createCheck(
  "certificate files",
  ["tlsCertFile", "tlsKeyFile", "publicUrl", "trustedProxies"],
  async ({ settings: { tlsCertFile, tlsKeyFile, ...settings }, now }) => {
    if (tlsCertFile === undefined || tlsKeyFile === undefined) return undefined;
    try {
      const certificate = await readCertificateFiles(tlsCertFile, tlsKeyFile);
      const { hosts, notAfter } = certificate;
      const remedy = "renew it, and replace the files: the gate loads the new ones automatically";
      return collectFindings(
        [
          reportExpiry("the certificate of TLS_CERT_FILE", notAfter, now(), remedy),
          reportUncoveredHost("the certificate of TLS_CERT_FILE is not", settings, (host) =>
            certificate.covers(host),
          ),
        ],
        `TLS_CERT_FILE and TLS_KEY_FILE match, for ${hosts.join(", ")} until ${formatDay(notAfter)}`,
      );
    } catch (error) {
      return problem(
        `TLS_CERT_FILE and TLS_KEY_FILE cannot be used: ${getErrorMessage(error)}`,
        "set them to a certificate with its chain and to its key, in PEM format without a passphrase (fullchain.pem and privkey.pem)",
      );
    }
  },
);

/** Checks the certificates that the gate obtains itself, one for each requested name. */
export const checkOwnCertificates: Check = createCheck(
  "own certificates",
  ["dataDir", "httpsPort", "tlsCertFile", "publicUrl", "trustedProxies"],
  async ({ settings: { dataDir, httpsPort, tlsCertFile, ...settings }, now }) => {
    if (httpsPort === undefined || tlsCertFile !== undefined) return undefined;
    const states = await new CertificateFolder(dataDir).listDomainStates();
    if (states.length === 0) {
      return hint(
        "HTTPS_PORT is set, but no domain has been added, so there is no HTTPS yet",
        "run latchkey domain add NAME, or set TLS_CERT_FILE and TLS_KEY_FILE",
      );
    }
    const uncovered = reportUncoveredHost(
      "none of the automatic certificates is",
      settings,
      (host) => states.some(({ name }) => name === host),
    );
    return [...states.flatMap((state) => reportDomain(state, now())), uncovered ?? []].flat();
  },
);

function reportDomain(
  { name, certificate, unusable, lastAttempt }: DomainState,
  now: number,
): readonly Finding[] {
  const cause = unusable ?? lastAttempt?.cause;
  if (certificate === undefined) {
    const none = `there is no certificate for ${name} yet`;
    return [cause === undefined ? hint(none, SEE_LOG) : problem(`${none}: ${cause}`, RETRY)];
  }
  const { notAfter } = certificate;
  const what = `the certificate for ${name}`;
  const failed = `the last attempt for ${name} failed: ${cause}`;
  return collectFindings(
    [reportExpiry(what, notAfter, now, SEE_LOG), cause !== undefined && hint(failed, RETRY)],
    `${what} is valid until ${formatDay(notAfter)}`,
  );
}

/**
 * Reports a host without a certificate. Behind a proxy this is a hint, because browsers may see the
 * proxy's certificate instead.
 */
function reportUncoveredHost(
  none: string,
  { publicUrl, trustedProxies }: Pick<Settings, "publicUrl" | "trustedProxies">,
  covers: (host: string) => boolean,
): Finding | undefined {
  const url = publicUrl === undefined ? undefined : new URL(publicUrl);
  if (url?.protocol !== "https:" || covers(url.hostname)) return undefined;
  return (trustedProxies.length > 0 ? hint : problem)(
    `${none} for ${url.hostname}, the host of PUBLIC_URL: browsers refuse the connection`,
    "get a certificate for this name (automatically: latchkey domain add NAME), or correct PUBLIC_URL",
  );
}

const RETRY =
  "check that the name resolves to this machine, and that port 80 there reaches the gate, which tries again automatically";
const SEE_LOG =
  "check that the gate runs, which requests certificates and renews them, and see its log";

const TIMEOUT_MS = 4_000;

export const checkCertificate: Check = createCheck("certificate", [], async ({ url, now }) => {
  if (url?.protocol !== "https:") return undefined;
  const served = await fetchCertificate(url).catch(() => undefined);
  // The address check reports a missing response.
  if (served === undefined) return undefined;
  const what = `the certificate at ${url.origin}`;
  const { distrust, expiry } = served;
  const ending = reportExpiry(what, expiry, now(), RENEW);
  const untrusted =
    distrust !== undefined &&
    problem(`${what} is not trusted: ${distrust}`, TRUST_REMEDIES[distrust] ?? TRUSTED);
  return collectFindings(
    [ending?.outcome !== "problem" && untrusted, ending],
    `${what} is trusted and valid until ${formatDay(expiry)}`,
  );
});

const RENEW = "renew it, and find out why that did not happen automatically";

/**
 * Connects with TLS and accepts any certificate. Resolves to the expiry, and the reason not to
 * trust the certificate.
 */
async function fetchCertificate({ hostname, port }: URL) {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const servername = isIP(host) === 0 ? host : "";
  const address = { host, port: Number(port || 443), servername };
  const socket = connect({ ...address, rejectUnauthorized: false });
  try {
    await once(socket, "secureConnect", { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const { valid_to: until } = socket.getPeerCertificate();
    // Node sets either a code or an error.
    const error: unknown = socket.authorizationError;
    const reason = error instanceof Error ? (getErrorCode(error) ?? error.message) : String(error);
    const distrust = socket.authorized ? undefined : reason;
    return { distrust, expiry: new Date(until) };
  } finally {
    socket.destroy();
  }
}

const OWN_CA = "for a private authority, run this with NODE_EXTRA_CA_CERTS set to its certificate";
const TRUSTED = `if the clock of this machine is right, get one from an authority that browsers trust, such as Let's Encrypt; ${OWN_CA}`;

/** Maps the reasons that Node.js gives to remedies. */
const TRUST_REMEDIES: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID:
    "get a certificate for this name, or give users a URL with a name of this one",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `have the server send the whole chain (fullchain.pem instead of cert.pem); ${OWN_CA}`,
};

/**
 * Reports the expiry. A certificate that expires soon is only a hint, because automatic renewal
 * happens long before.
 */
function reportExpiry(
  what: string,
  expiry: Date,
  now: number,
  remedy: string,
): Finding | undefined {
  if (expiry.getTime() <= now) return problem(`${what} expired on ${formatDay(expiry)}`, remedy);
  if (expiry.getTime() - now >= EXPIRES_SOON_MS) return undefined;
  return hint(`${what} expires on ${formatDay(expiry)}`, remedy);
}

const formatDay = (date: Date): string => date.toISOString().slice(0, 10);
