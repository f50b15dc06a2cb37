import type { TestContext } from "node:test";
import { type Answer, type Sending, send } from "../support/client.ts";
import { freePort } from "../support/free-port.ts";
import { type RunningGate, startGate } from "../support/gate.ts";
import { exampleOf, type SetUp } from "./examples.ts";
import { type RecordingApp, startRecordingApp } from "./recording-app.ts";

/** Not 127.0.0.1, which the gate trusts as a proxy: clients come from elsewhere. */
export const CLIENT = "127.0.0.2";
export const PROXY_HOST = "127.0.0.9";

/** What a test puts into the example instead of the places that it names. */
export interface Places {
  readonly gate: string;
  readonly app: string;
  readonly host: string;
  readonly port: number;
}

export interface ProxyServer {
  /** The name of its page in the documentation. */
  readonly page: string;
  start(t: TestContext, configuration: string, places: Places): Promise<void>;
}

export interface Site {
  readonly app: RecordingApp;
  readonly gate: RunningGate;
  /** The application's origin and the gate's, as browsers see them. */
  readonly appUrl: string;
  readonly doorUrl: string;
  /** The proxy itself. */
  readonly proxyUrl: string;
  /** Asks the proxy for this URL, whatever its host resolves to. */
  visit(url: string, sending?: Sending): Promise<Answer>;
}

/** An application behind the real proxy and the real gate, set up as the documentation says. */
export async function startSite(t: TestContext, proxy: ProxyServer, setUp: SetUp): Promise<Site> {
  const { settings, configuration } = exampleOf(proxy.page, setUp);
  const port = await freePort(PROXY_HOST);
  const app = await startRecordingApp(t);
  const publicUrl = settings.publicUrl && onPort(settings.publicUrl, port);
  const { allowedHosts } = settings;
  const gate = await startGate(t, {
    ...settings,
    publicUrl,
    // The proxy is also asked under its own address.
    allowedHosts: typeof allowedHosts === "string" ? allowedHosts : [...allowedHosts, PROXY_HOST],
  });
  const places = { gate: new URL(gate.url).host, app: app.place, host: PROXY_HOST, port };
  await proxy.start(t, configuration, places);
  const appUrl = `http://app.door.test:${port}`;
  const doorUrl = setUp === "One host" ? appUrl : `http://auth.door.test:${port}`;
  const proxyUrl = `http://${PROXY_HOST}:${port}`;
  return { app, gate, appUrl, doorUrl, proxyUrl, visit };
}

/** Browsers reach it on the proxy's port, and without TLS. */
const onPort = (publicUrl: string, port: number): string =>
  `${publicUrl.replace("https:", "http:")}:${port}`;

export function visit(url: string, sending: Sending = {}): Promise<Answer> {
  const { host, port, pathname, search } = new URL(url);
  return send(`http://${PROXY_HOST}:${port}${pathname}${search}`, {
    from: CLIENT,
    ...sending,
    headers: { Host: host, ...sending.headers },
  });
}
