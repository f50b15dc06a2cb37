import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { request } from "node:https";
import { TLSSocket } from "node:tls";

export interface SecureAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Of the server's certificate. */
  readonly fingerprint: string;
}

/** Sends a request to a local HTTPS server by name, trusting one authority only. */
export async function askSecurely(
  url: string,
  name: string,
  ca: string,
  path = "/login",
): Promise<SecureAnswer> {
  const asking = request(`${url}${path}`, {
    ca,
    agent: false,
    servername: name,
    headers: { Host: name },
  });
  asking.end();
  const [answer]: IncomingMessage[] = await once(asking, "response");
  if (!(answer?.socket instanceof TLSSocket)) throw new Error("no TLS");
  const shown = answer.socket.getPeerCertificate();
  answer.resume();
  await once(answer, "end");
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    fingerprint: shown.fingerprint256,
  };
}
