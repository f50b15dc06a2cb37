import { explainNetworkError } from "../../gate/https/http-request.ts";
import { getErrorCode } from "../../lib/fault.ts";

const OWN_AUTHORITY =
  "get one from an authority that browsers trust; for an authority of your own, run this with NODE_EXTRA_CA_CERTS set to its certificate";
const FIREWALL = "check that the proxy runs there, and that the firewall and the port are right";

/** Says why a server cannot be reached, and what to do. */
interface Explained {
  readonly found: string;
  readonly remedy: string;
}

const EXPLANATIONS: Readonly<Record<string, Explained>> = {
  ENOTFOUND: {
    found: "no name server knows the host name",
    remedy: "add the name to DNS so that it leads to the proxy, or correct the URL",
  },
  EAI_AGAIN: {
    found: "the name server does not answer",
    remedy: "check the network and the name servers of this machine",
  },
  ECONNREFUSED: {
    found: "nothing listens there (connection refused)",
    remedy: "start the proxy, or correct the host or port",
  },
  ECONNRESET: { found: "the connection was closed without a response", remedy: FIREWALL },
  ETIMEDOUT: { found: "it does not answer", remedy: FIREWALL },
  response_timeout: { found: "it did not answer within 10 seconds", remedy: FIREWALL },
  EHOSTUNREACH: { found: "there is no route to this host", remedy: FIREWALL },
  ENETUNREACH: { found: "there is no route to this network", remedy: FIREWALL },
  EPROTO: {
    found: "it does not use TLS",
    remedy: "give the proxy a certificate for this host, or correct the port",
  },
  ERR_SSL_WRONG_VERSION_NUMBER: {
    found: "it does not use TLS",
    remedy: "give the proxy a certificate for this host, or correct the port",
  },
  CERT_HAS_EXPIRED: {
    found: "its certificate has expired",
    remedy: "renew it, and find out why that did not happen automatically",
  },
  CERT_NOT_YET_VALID: {
    found: "its certificate is not valid yet",
    remedy: "set the clocks of both machines",
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    found: "its certificate is for other host names",
    remedy: "get a certificate for this host name",
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: {
    found: "its certificate is not trusted: it is self-signed",
    remedy: OWN_AUTHORITY,
  },
  SELF_SIGNED_CERT_IN_CHAIN: {
    found: "its certificate is not trusted: the authority is unknown",
    remedy: OWN_AUTHORITY,
  },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: {
    found: "its certificate is not trusted: the authority is unknown",
    remedy: OWN_AUTHORITY,
  },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: {
    found: "its certificate is not trusted: the authority is unknown, or the chain is incomplete",
    remedy: `have the server send the whole chain (fullchain.pem instead of cert.pem); or ${OWN_AUTHORITY}`,
  },
};

/** Explains why a request got no response. */
export function explainFailure(error: unknown): Explained {
  const code = getErrorCode(error) ?? "";
  return EXPLANATIONS[code] ?? { found: explainNetworkError(error), remedy: FIREWALL };
}

/** Says how to find out whether the server of an app reaches the gate. */
export const reachGate = ({ origin }: URL): string =>
  `on the server or in the container of the app, open ${origin}/.well-known/openid-configuration with curl (DNS, firewall, certificate authority; localhost is the container itself)`;
