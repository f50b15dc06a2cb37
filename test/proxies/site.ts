import type { TestContext } from "node:test";
import { type Answer, type Sending, send } from "../support/client.ts";
import { freePort } from "../support/free-port.ts";
import { type RunningGate, startGate } from "../support/gate.ts";
import { exampleOf, type SetUp, withPlaces } from "./examples.ts";
import { type RecordingApp, startRecordingApp } from "./recording-app.ts";

/** Not 127.0.0.1, which the gate trusts as a proxy. */
export const CLIENT = "127.0.0.2";
export const PROXY_HOST = "127.0.0.9";

/** The addresses that replace those of the example. */
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

/** The proxy, but with these changes to its configuration. */
export const edited = (
  proxy: ProxyServer,
  places: Readonly<Record<string, string>>,
): ProxyServer => ({
  ...proxy,
  start: (t, configuration, own) => proxy.start(t, withPlaces(configuration, places), own),
});

/** Serves its own address, which attacks use, besides the host of the example. */
export const atAddress = (proxy: ProxyServer): ProxyServer => ({
  ...proxy,
  start(t, configuration, places) {
    const { host, port } = places;
    const own = proxy.page === "caddy" ? `http://${host}:${port}` : `${host} app.example.org`;
    return proxy.start(t, configuration.replaceAll("app.example.org", own), places);
  },
});

export interface Site {
  readonly app: RecordingApp;
  readonly gate: RunningGate;
  /** The public origins of the application and the gate. */
  readonly appUrl: string;
  readonly gateUrl: string;
  /** The address of the proxy itself. */
  readonly proxyUrl: string;
  /** Sends the request for this URL to the proxy, without resolving the host. */
  visit(url: string, sending?: Sending): Promise<Answer>;
}

/** An application behind a real proxy and a real gate, configured as in the documentation, with these arguments of `latchkey proxy` too. */
export async function startSite(
  t: TestContext,
  proxy: ProxyServer,
  setUp: SetUp,
  more: readonly string[] = [],
): Promise<Site> {
  const { settings, configuration } = exampleOf(proxy.page, setUp, more);
  const port = await freePort(PROXY_HOST);
  const app = await startRecordingApp(t);
  const publicUrl = settings.publicUrl && onPort(settings.publicUrl, port);
  const { allowedHosts } = settings;
  const gate = await startGate(t, {
    ...settings,
    publicUrl,
    // Some tests use the proxy's own address as the host.
    allowedHosts: typeof allowedHosts === "string" ? allowedHosts : [...allowedHosts, PROXY_HOST],
    assertions: "on",
  });
  const places = { gate: new URL(gate.url).host, app: app.place, host: PROXY_HOST, port };
  await proxy.start(t, configuration, places);
  const appUrl = `http://app.example.test:${port}`;
  const gateUrl = setUp === "One host" ? appUrl : `http://auth.example.test:${port}`;
  const proxyUrl = `http://${PROXY_HOST}:${port}`;
  return { app, gate, appUrl, gateUrl, proxyUrl, visit };
}

/** The public URL on the proxy's port, without TLS. */
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
