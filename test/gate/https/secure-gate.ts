import assert from "node:assert/strict";
import { once } from "node:events";
import {
  type ClientHttp2Session,
  connect as connectHttp2,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from "node:http2";
import type { TcpSocketConnectOpts } from "node:net";
import type { TestContext } from "node:test";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import type { Settings } from "../../../src/gate/settings/settings.ts";
import {
  type MadeCertificate,
  makeCertificate,
  writeCertificate,
} from "../../support/certificates.ts";
import { type RunningGate, SETUP_FORM, startGate } from "../../support/gate.ts";
import { tempDir } from "../../support/temp-dir.ts";

export const LOCALHOST: MadeCertificate = makeCertificate({ names: ["localhost"] });

export interface SecureGate extends RunningGate {
  /** The HTTPS port. */
  readonly port: number;
  /** The folder of its certificate and key. */
  readonly certificateDir: string;
}

/** Starts a gate with a certificate for `localhost`: HTTPS, and by default also plain HTTP. */
export async function startSecureGate(
  t: TestContext,
  overrides: Partial<Settings> = {},
  certificate: MadeCertificate = LOCALHOST,
): Promise<SecureGate> {
  const certificateDir = await tempDir(t);
  const { certFile, keyFile } = await writeCertificate(certificateDir, certificate);
  const files = { tlsCertFile: certFile, tlsKeyFile: keyFile };
  const gate = await startGate(t, { httpsPort: 0, ...files, ...overrides });
  return { ...gate, port: portOf(gate.httpsUrl), certificateDir };
}

/** The same with an account, which is created as behind a proxy that terminates TLS. */
export async function startWithOwner(t: TestContext): Promise<SecureGate> {
  const gate = await startSecureGate(t);
  const headers = { "X-Forwarded-Proto": "https" };
  const { status } = await gate.send("/setup", { form: SETUP_FORM, headers });
  assert.equal(status, 303);
  return gate;
}

/** Nothing in its log is more than information. */
export const assertCalm = ({ serverLog }: RunningGate): void =>
  assert.deepEqual(
    serverLog.filter(({ level }) => level !== "info"),
    [],
  );

export const portOf = (url: string | undefined): number => Number(new URL(url ?? "").port);

type Connecting = ConnectionOptions & Pick<TcpSocketConnectOpts, "localAddress">;

/** Returns a connection after its handshake. Rejects if the handshake fails. */
export async function handshake(
  t: TestContext,
  port: number,
  options: Connecting = {},
): Promise<TLSSocket> {
  const socket = connect({
    host: "127.0.0.1",
    port,
    servername: "localhost",
    rejectUnauthorized: false,
    ...options,
  });
  t.after(() => socket.destroy());
  socket.on("error", () => {});
  await once(socket, "secureConnect");
  return socket;
}

export async function openSession(
  t: TestContext,
  port: number,
  options: Connecting = {},
): Promise<ClientHttp2Session> {
  const socket = await handshake(t, port, { ALPNProtocols: ["h2"], ...options });
  const session = connectHttp2(`https://localhost:${port}`, { createConnection: () => socket });
  t.after(() => session.destroy());
  session.on("error", () => {});
  return session;
}

export interface StreamAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface StreamAsking {
  readonly path?: string;
  readonly method?: string;
  readonly form?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly headers?: OutgoingHttpHeaders;
}

/** Sends one request in its own stream. */
export async function ask(
  session: ClientHttp2Session,
  { path = "/login", method, form, body, headers }: StreamAsking = {},
): Promise<StreamAnswer> {
  const sent = body ?? (form && new URLSearchParams(form).toString());
  const stream = session.request({
    ":path": path,
    ":method": method ?? (sent === undefined ? "GET" : "POST"),
    ...(form === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }),
    ...headers,
  });
  const answering = once(stream, "response");
  stream.end(sent);
  const [answered]: IncomingHttpHeaders[] = await answering;
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return {
    status: Number(answered?.[":status"]),
    headers: answered ?? {},
    body: Buffer.concat(chunks).toString("utf8"),
  };
}
