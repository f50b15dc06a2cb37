import { createServer, type IncomingMessage } from "node:http";
import type { TestContext } from "node:test";
import { type Answer, send } from "../../../test/support/client.ts";
import { listenOn } from "../../../test/support/listen.ts";
import { authenticate } from "../src/oidc/tokens.ts";
import type { OidcGates } from "./oidc-gates.ts";

/** A request that is on its way to a gate. */
export interface Passing {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends a request to the gate. */
export type Pass = (request: Passing) => Promise<Answer>;

/** What a flawed server does with requests, instead of only passing them. */
export type Flawed = (request: Passing, pass: Pass, gates: OidcGates) => Promise<Answer>;

let started = 0;

/**
 * Starts a server that passes requests to a gate and has a flaw. Returns its URL. The gate sees other
 * addresses of each server, since it limits how many sign-ins to apps one address begins.
 */
export async function startFlawed(
  t: TestContext,
  gates: OidcGates,
  flawed: Flawed,
): Promise<string> {
  started += 1;
  const network = `127.0.${started}.`;
  const server = createServer(async (request, response) => {
    try {
      const { remoteAddress = "127.0.0.1" } = request.socket;
      const from = remoteAddress.replace(/^127\.0\.0\./, network);
      const passing = await read(request);
      const { status, headers, body } = await flawed(
        passing,
        passTo(gates.url, from, request),
        gates,
      );
      const { "transfer-encoding": _, "content-length": __, connection: ___, ...others } = headers;
      response.writeHead(status, { ...others, Connection: "close" });
      response.end(body);
    } catch {
      response.writeHead(500, { Connection: "close" }).end();
    }
  });
  const port = await listenOn(t, server);
  return `http://127.0.0.1:${port}`;
}

async function read(request: IncomingMessage): Promise<Passing> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method = "GET", url = "/", headers } = request;
  const at = url.indexOf("?");
  return {
    method,
    path: at === -1 ? url : url.slice(0, at),
    query: new URLSearchParams(at === -1 ? "" : url.slice(at)),
    form: new URLSearchParams(Buffer.concat(chunks).toString()),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, String(value)]),
    ),
  };
}

const passTo =
  (url: string, from: string, { headers: { host = "" } }: IncomingMessage): Pass =>
  ({ method, path, query, form, headers }) => {
    const { "content-length": _, "transfer-encoding": __, ...others } = headers;
    const search = query.size === 0 ? "" : `?${query}`;
    return send(`${url}${path}${search}`, {
      ...{ method, from },
      headers: { ...others, host: headers.host ?? host },
      ...(method === "POST" && { body: form.toString() }),
    });
  };

/** A request with other parameters, in the query of GET and in the form of POST. */
export function withParameters(
  request: Passing,
  parameters: Readonly<Record<string, string | undefined>>,
): Passing {
  const name = request.method === "POST" ? "form" : "query";
  const changed = new URLSearchParams(request[name]);
  for (const [key, value] of Object.entries(parameters)) {
    if (value === undefined) changed.delete(key);
    else changed.set(key, value);
  }
  return { ...request, [name]: changed };
}

export const withHeaders = (
  request: Passing,
  headers: Readonly<Record<string, string | undefined>>,
): Passing => ({
  ...request,
  headers: Object.fromEntries(
    Object.entries({ ...request.headers, ...headers }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  ),
});

/** A request that the client with the ID authenticates. */
export function asClient(request: Passing, { clients }: OidcGates, id: string): Passing {
  const client = clients.find((one) => one.id === id);
  const header = client && authenticate(client).headers?.Authorization;
  return withHeaders(
    withParameters(request, {
      ...{ client_id: header === undefined ? id : undefined, client_secret: undefined },
    }),
    { authorization: header === undefined ? undefined : String(header) },
  );
}

/** An answer of JSON. */
export const answerJson = (value: object): Answer => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(value),
  ...{ location: undefined, cookies: [], session: undefined },
});

export const answerRedirect = (location: string): Answer => ({
  ...answerJson({}),
  status: 303,
  headers: { location },
  location,
});

/** Answers the same request as before with the same answer. */
export function remember(keyOf: (request: Passing) => string | undefined): Flawed {
  const known = new Map<string, Promise<Answer>>();
  return (request, pass) => {
    const key = keyOf(request);
    if (key === undefined) return pass(request);
    const answer = known.get(key) ?? pass(request);
    known.set(key, answer);
    return answer;
  };
}

/** Refuses what was sent before, so that the gate learns nothing of a second use. */
export function hideSecond(keyOf: (request: Passing) => string | undefined): Flawed {
  const known = new Set<string>();
  return async (request, pass) => {
    const key = keyOf(request);
    if (key !== undefined && known.has(key))
      return { ...answerJson({ error: "invalid_grant" }), status: 400 };
    if (key !== undefined) known.add(key);
    return pass(request);
  };
}
