import { once } from "node:events";
import { isIP } from "node:net";
import { connect } from "node:tls";
import { codeOf, messageOf } from "../core/base/fault.ts";
import { readCertificateFiles, SOON_MS } from "../gate/https/certificate-files.ts";
import { CertificateFolder, type DomainState } from "../gate/https/certificate-folder.ts";
import type { Settings } from "../gate/settings/settings.ts";
import { type Check, checkOf, type Finding, hint, orOk, problem } from "./check.ts";

export const checkCertificateFiles: Check = checkOf(
  "certificate files",
  ["tlsCertFile", "tlsKeyFile", "publicUrl", "trustedProxies"],
  async ({ settings: { tlsCertFile, tlsKeyFile, ...settings }, now }) => {
    if (tlsCertFile === undefined || tlsKeyFile === undefined) return undefined;
    try {
      const certificate = await readCertificateFiles(tlsCertFile, tlsKeyFile);
      const { hosts, notAfter } = certificate;
      const remedy = "renew it, and replace the files: the gate loads the new ones automatically";
      return orOk(
        [
          expiryFinding("the certificate of TLS_CERT_FILE", notAfter, now(), remedy),
          coverFinding("the certificate of TLS_CERT_FILE is not", settings, (host) =>
            certificate.covers(host),
          ),
        ],
        `TLS_CERT_FILE and TLS_KEY_FILE match, for ${hosts.join(", ")} until ${dayOf(notAfter)}`,
      );
    } catch (error) {
      return problem(
        `TLS_CERT_FILE and TLS_KEY_FILE cannot be used: ${messageOf(error)}`,
        "set them to a certificate with its chain and to its key, in PEM format without a passphrase (fullchain.pem and privkey.pem)",
      );
    }
  },
);

/** Checks the certificates that the gate obtains itself, one for each requested name. */
export const checkOwnCertificates: Check = checkOf(
  "own certificates",
  ["dataDir", "httpsPort", "tlsCertFile", "publicUrl", "trustedProxies"],
  async ({ settings: { dataDir, httpsPort, tlsCertFile, ...settings }, now }) => {
    if (httpsPort === undefined || tlsCertFile !== undefined) return undefined;
    const states = await new CertificateFolder(dataDir).states();
    if (states.length === 0) {
      return hint(
        "HTTPS_PORT is set, but no domain has been added, so there is no HTTPS yet",
        "run latchkey domain add NAME, or set TLS_CERT_FILE and TLS_KEY_FILE",
      );
    }
    const uncovered = coverFinding("none of the automatic certificates is", settings, (host) =>
      states.some(({ name }) => name === host),
    );
    return [...states.flatMap((state) => domainFindings(state, now())), uncovered ?? []].flat();
  },
);

function domainFindings(
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
  return orOk(
    [expiryFinding(what, notAfter, now, SEE_LOG), cause !== undefined && hint(failed, RETRY)],
    `${what} is valid until ${dayOf(notAfter)}`,
  );
}

/** Behind a proxy, which may have another certificate, browsers need not see this one. */
function coverFinding(
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

export const checkCertificate: Check = checkOf("certificate", [], async ({ url, now }) => {
  if (url?.protocol !== "https:") return undefined;
  const served = await servedAt(url).catch(() => undefined);
  // The address check reports that nothing answers.
  if (served === undefined) return undefined;
  const what = `the certificate at ${url.origin}`;
  const { distrust, expiry } = served;
  const ending = expiryFinding(what, expiry, now(), RENEW);
  const untrusted =
    distrust !== undefined &&
    problem(`${what} is not trusted: ${distrust}`, TRUST_REMEDIES[distrust] ?? TRUSTED);
  return orOk(
    [ending?.outcome !== "problem" && untrusted, ending],
    `${what} is trusted and valid until ${dayOf(expiry)}`,
  );
});

const RENEW = "renew it, and find out why that did not happen automatically";

/** Connects with TLS, and accepts any certificate: returns its expiry, and why not to trust it. */
async function servedAt({ hostname, port }: URL) {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const servername = isIP(host) === 0 ? host : "";
  const address = { host, port: Number(port || 443), servername };
  const socket = connect({ ...address, rejectUnauthorized: false });
  try {
    await once(socket, "secureConnect", { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const { valid_to: until } = socket.getPeerCertificate();
    // Node sets either a code or an error.
    const error: unknown = socket.authorizationError;
    const reason = error instanceof Error ? (codeOf(error) ?? error.message) : String(error);
    const distrust = socket.authorized ? undefined : reason;
    return { distrust, expiry: new Date(until) };
  } finally {
    socket.destroy();
  }
}

const OWN_CA = "for a private authority, run this with NODE_EXTRA_CA_CERTS set to its certificate";
const TRUSTED = `if the clock of this machine is right, get one from an authority that browsers trust, such as Let's Encrypt; ${OWN_CA}`;

/** By the reason that Node.js gives. */
const TRUST_REMEDIES: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID:
    "get a certificate for this name, or give users a URL with a name of this one",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `have the server send the whole chain (fullchain.pem instead of cert.pem); ${OWN_CA}`,
};

/** Automatic renewal happens long before, so a certificate that ends soon is a hint. */
function expiryFinding(
  what: string,
  expiry: Date,
  now: number,
  remedy: string,
): Finding | undefined {
  if (expiry.getTime() <= now) return problem(`${what} expired on ${dayOf(expiry)}`, remedy);
  if (expiry.getTime() - now >= SOON_MS) return undefined;
  return hint(`${what} expires on ${dayOf(expiry)}`, remedy);
}

const dayOf = (date: Date): string => date.toISOString().slice(0, 10);
