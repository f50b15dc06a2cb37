import { type IncomingHttpHeaders, request as requestPlain } from "node:http";
import { type RequestOptions, request as requestTls } from "node:https";
import { codeOf } from "../core/fault.ts";
import { reasonOf } from "../gate/open-store.ts";

const WITHIN_MS = 4_000;
const MOST_BYTES = 64 * 1024;

export type Asked =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly body: string;
      readonly answeredAt: number;
    }
  | { readonly kind: "silent"; readonly reason: string; readonly code: string | undefined };

export interface Asking {
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * One request over a connection of its own. Redirects are not followed. Nothing secret is sent, so
 * a certificate that is not right does not matter here: another check is about that.
 */
export function ask(
  url: URL,
  { method = "GET", headers = {} }: Asking,
  now: () => number,
): Promise<Asked> {
  const signal = AbortSignal.timeout(WITHIN_MS);
  const length: Readonly<Record<string, string>> =
    method === "POST" ? { "Content-Length": "0" } : {};
  const options: RequestOptions = {
    ...{ method, agent: false, signal, rejectUnauthorized: false },
    headers: { ...length, ...headers, "User-Agent": "latchkey-doctor" },
  };
  return new Promise((resolve) => {
    const silent = (error: unknown): void =>
      resolve({
        kind: "silent",
        code: codeOf(error),
        reason: signal.aborted ? `no answer within ${WITHIN_MS / 1_000} seconds` : reasonIn(error),
      });
    const outgoing = (url.protocol === "https:" ? requestTls : requestPlain)(url, options);
    // An answer that switches protocols is neither: Node only closes the connection.
    const unanswered = (): void =>
      silent(new Error("the connection was closed without an HTTP answer"));
    outgoing.on("error", silent);
    outgoing.on("close", unanswered);
    outgoing.on("response", (incoming) => {
      outgoing.off("close", unanswered);
      const answeredAt = now();
      const { statusCode: status = 0, headers: said } = incoming;
      let body = "";
      const answer = (): void =>
        resolve({ kind: "answer", status, headers: said, body, answeredAt });
      incoming.setEncoding("latin1");
      incoming.on("data", (piece: string) => {
        body += piece;
        if (body.length <= MOST_BYTES) return;
        answer();
        incoming.destroy();
      });
      incoming.on("end", answer);
      incoming.on("error", silent);
    });
    outgoing.end();
  });
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "the name is not known",
  EAI_AGAIN: "the name service does not answer",
  EHOSTUNREACH: "there is no way to that machine",
  ENETUNREACH: "there is no way to that network",
  ECONNRESET: "the connection was closed without an answer",
  EPROTO: "TLS is not spoken there",
  ERR_SSL_WRONG_VERSION_NUMBER: "TLS is not spoken there",
};

/** In plain words where there are some. */
export function reasonIn(error: unknown): string {
  const known = REASONS[codeOf(error) ?? ""];
  return known ?? reasonOf(error);
}
