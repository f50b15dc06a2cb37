import { createServer, type ServerOptions } from "node:https";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import type { FlattenedJWS } from "jose";
import { makeCertificate } from "../../../support/certificates.ts";
import { listenOn } from "../../../support/listen.ts";

const SERVER = makeCertificate({ names: ["localhost"] });
export const AUTHORITY_CA: string = SERVER.cert;
export const SERVER_OPTIONS: ServerOptions = { cert: SERVER.cert, key: SERVER.key };

export const CHAIN = "-----BEGIN CERTIFICATE-----\nchain\n-----END CERTIFICATE-----\n";

export interface Asked {
  /** The number of requests to the path, including this one. */
  readonly count: number;
  /** The base URL of the authority, for URLs in responses. */
  readonly url: string;
  /** The body of a POST, and the header and payload in it. */
  readonly body: FlattenedJWS;
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: unknown;
}

export interface Given {
  readonly status?: number;
  /** Headers with the value `undefined` are left out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | object;
}

/** Responses by path. Those of a test override the defaults. */
export type Answers = Readonly<Record<string, (asked: Asked) => Given>>;

export interface Authority {
  readonly directoryUrl: string;
  /** Method and path of each request, in order. */
  readonly asked: readonly string[];
}

/** Default responses that grant everything at once: pending, ready, valid. */
const friendly: Answers = {
  "/directory": ({ url }) => ({
    body: {
      newNonce: `${url}/nonce`,
      newAccount: `${url}/account`,
      newOrder: `${url}/orders`,
    },
  }),
  "/nonce": () => ({}),
  "/account": ({ url }) => ({ status: 201, headers: { Location: `${url}/account/1` }, body: {} }),
  "/orders": ({ url }) => ({ status: 201, headers: { Location: `${url}/order` }, body: {} }),
  "/order": ({ url, count }) => ({
    body: {
      status: ["pending", "ready"][count - 1] ?? "valid",
      authorizations: [`${url}/authorization`],
      finalize: `${url}/finalize`,
      certificate: `${url}/certificate`,
    },
  }),
  "/authorization": ({ url, count }) => ({
    body: {
      status: count === 1 ? "pending" : "valid",
      challenges: [{ type: "http-01", url: `${url}/challenge`, token: "a-token" }],
    },
  }),
  "/challenge": () => ({ body: {} }),
  "/finalize": () => ({ body: {} }),
  "/certificate": () => ({ body: CHAIN }),
};

const missing = (): Given => ({ status: 404 });

/** Starts an authority that checks nothing, for responses that a real one would not send. */
export async function startAuthority(t: TestContext, answers: Answers = {}): Promise<Authority> {
  const asked: string[] = [];
  const server = createServer(SERVER_OPTIONS, async (incoming, outgoing) => {
    const { method = "", url: path = "" } = incoming;
    asked.push(`${method} ${path}`);
    const count = asked.filter((one) => one === `${method} ${path}`).length;
    const answer = answers[path] ?? friendly[path] ?? missing;
    const given = answer({
      url: `https://${incoming.headers.host}`,
      count,
      ...signedIn(await text(incoming)),
    });
    const headers = { "Replay-Nonce": `nonce-${asked.length}`, ...given.headers };
    outgoing.statusCode = given.status ?? 200;
    for (const [name, value] of Object.entries(headers)) {
      if (value !== undefined) outgoing.setHeader(name, value);
    }
    outgoing.end(typeof given.body === "object" ? JSON.stringify(given.body) : given.body);
  });
  const port = await listenOn(t, server, "localhost");
  return { directoryUrl: `https://localhost:${port}/directory`, asked };
}

function signedIn(text: string): Pick<Asked, "body" | "header" | "payload"> {
  if (text === "") return { body: { payload: "", signature: "" }, header: {}, payload: undefined };
  const body = JSON.parse(text);
  const header = decoded(body.protected) as Asked["header"];
  return { body, header, payload: decoded(body.payload) };
}

function decoded(part: string): unknown {
  const json = Buffer.from(part, "base64url").toString();
  return json === "" ? undefined : JSON.parse(json);
}
