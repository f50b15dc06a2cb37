import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

/** Says in which way the provider misbehaves. Absent fields mean the right behaviour. */
export interface Behaviour {
  readonly claims?: JWTPayload;
  /** Removes claims from the ID token. */
  readonly without?: readonly string[];
  readonly header?: { readonly alg: string; readonly kid?: string };
  /** Answers in place of the provider, at a path. */
  readonly answer?: Readonly<
    Record<string, (request: IncomingMessage, response: ServerResponse) => void>
  >;
  readonly userInfo?: object;
  readonly metadata?: object;
  /** Signs with a key that the key set does not have. */
  readonly key?: "other" | "new";
}

export interface TestProvider {
  readonly issuer: string;
  behave(behaviour: Behaviour): void;
  /** Counts the requests by their paths. */
  readonly asked: ReadonlyMap<string, number>;
}

const CLIENT = "latchkey";

/** Starts a provider of OpenID Connect on loopback that does as it is told. */
export async function startProvider(t: Pick<TestContext, "after">): Promise<TestProvider> {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
  const other = await generateKeyPair("RS256", { extractable: true });
  const asked = new Map<string, number>();
  let behaviour: Behaviour = {};
  let nonce = "";
  let issuer = "";

  async function createIdToken(): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    const claims: JWTPayload = {
      ...{ iss: issuer, sub: "7", aud: CLIENT, nonce, iat: now, exp: now + 300 },
      ...{ email: "ada@example.org", email_verified: true, amr: ["pwd"] },
      ...behaviour.claims,
    };
    for (const name of behaviour.without ?? []) delete claims[name];
    const header = behaviour.header ?? { alg: "RS256", kid: behaviour.key === "new" ? "2" : "1" };
    if (header.alg === "none") {
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
      return `${part(header)}.${part(claims)}.`;
    }
    const isShared = header.alg === "HS256";
    const key: CryptoKey | Uint8Array = isShared
      ? Buffer.from("the client secret")
      : behaviour.key === undefined
        ? privateKey
        : other.privateKey;
    return new SignJWT(claims).setProtectedHeader(header).sign(key);
  }

  const answers: Record<string, () => Promise<object> | object> = {
    "/.well-known/openid-configuration": () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      userinfo_endpoint: `${issuer}/userinfo`,
      response_types_supported: ["code"],
      id_token_signing_alg_values_supported: ["RS256"],
      authorization_response_iss_parameter_supported: true,
      ...behaviour.metadata,
    }),
    "/keys": async () => ({
      keys: [
        { ...(await exportJWK(publicKey)), kid: "1", alg: "RS256", use: "sig" },
        ...(behaviour.key === "new"
          ? [{ ...(await exportJWK(other.publicKey)), kid: "2", alg: "RS256", use: "sig" }]
          : []),
      ],
    }),
    "/token": async () => ({
      access_token: "access",
      token_type: "Bearer",
      expires_in: 60,
      id_token: await createIdToken(),
    }),
    "/userinfo": () => ({ sub: "7", groups: ["engineering"], ...behaviour.userInfo }),
  };

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", issuer);
    asked.set(pathname, (asked.get(pathname) ?? 0) + 1);
    if (pathname === "/nonce") nonce = searchParams.get("nonce") ?? "";
    const own = behaviour.answer?.[pathname];
    if (own !== undefined) return own(request, response);
    const body = await answers[pathname]?.();
    response.writeHead(body === undefined ? 404 : 200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(body ?? {}));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    asked,
    behave(wanted) {
      behaviour = wanted;
    },
  };
}

/** Starts a server that answers paths with JSON, and notes which were asked. Returns its origin. */
export async function startJsonServer(
  t: Pick<TestContext, "after">,
  answers: Readonly<Record<string, unknown>>,
  asked: string[],
): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    asked.push(pathname);
    response.writeHead(pathname in answers ? 200 : 404, { "Content-Type": "application/json" });
    response.end(JSON.stringify(answers[pathname] ?? {}));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
