import { isIP } from "node:net";
import type { TLSSocket } from "node:tls";
import { codeOf } from "../core/fault.ts";
import { handshake } from "../gate/https/handshake-check.ts";
import type { Check } from "./check.ts";
import { dayOf, expiryFindings } from "./expiry.ts";
import { type Finding, orOk, problem } from "./finding.ts";

const TIMEOUT_MS = 4_000;

/** Checks the certificate that browsers get. */
export const certificateCheck: Check = {
  name: "certificate",
  settings: [],

  async look({ url, now }) {
    if (url?.protocol !== "https:") return [];
    const shown = await shownCertificate(url);
    // The address check reports that nothing answers.
    if (shown === undefined) return [];
    const what = `the certificate at ${url.origin}`;
    const expiry = expiryFindings(what, shown.expiry, now(), RENEW);
    const wrong = expiry.some(({ kind }) => kind === "problem")
      ? expiry
      : [...trustFindings(url, shown), ...expiry];
    return orOk(wrong, `${what} is trusted, and good until ${dayOf(shown.expiry)}`);
  },
};

const RENEW = "renew it, and see why what should have done so did not (certbot renew, caddy, acme)";

interface Shown {
  readonly distrust: string | undefined;
  readonly names: string;
  readonly expiry: Date;
}

function shownCertificate(url: URL): Promise<Shown | undefined> {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const servername = isIP(host) === 0 ? host : undefined;
  const port = Number(url.port || 443);
  return handshake({ host, port, servername }, TIMEOUT_MS, shownBy).catch(() => undefined);
}

function shownBy(socket: TLSSocket): Shown {
  const { subjectaltname = "", valid_to: until } = socket.getPeerCertificate();
  const distrust = socket.authorized ? undefined : problemOf(socket.authorizationError);
  return { distrust, names: subjectaltname, expiry: new Date(until) };
}

/** Node sets either a code or an error. */
const problemOf = (error: unknown): string =>
  error instanceof Error ? (codeOf(error) ?? error.message) : String(error);

/** Problems other than the expiry date. */
function trustFindings(url: URL, { distrust, names }: Shown): readonly Finding[] {
  if (distrust === undefined) return [];
  const what = `the certificate at ${url.origin}`;
  switch (distrust) {
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return [
        problem(
          `${what} is not for ${url.hostname}, but for ${names || "no name at all"}`,
          `get one that names ${url.hostname}, or lead people to a name that it has`,
        ),
      ];
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
      return [
        problem(
          `${what} comes without those that lead from it to an authority that is known`,
          `have the server send the whole chain (fullchain.pem instead of cert.pem); ${OWN_CA}`,
        ),
      ];
    case "CERT_NOT_YET_VALID":
      return [
        problem(`${what} is not valid yet`, "see whether the clock of this machine is right"),
      ];
    default:
      return [
        problem(
          `${what} is of nobody whom browsers know: ${distrust}`,
          `get one from an authority that they know, such as Let's Encrypt; ${OWN_CA}`,
        ),
      ];
  }
}

const OWN_CA =
  "with an authority of your own, run this with NODE_EXTRA_CA_CERTS naming its certificate";
