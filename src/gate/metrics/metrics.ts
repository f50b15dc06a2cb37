import type { AddressInfo } from "node:net";
import type { Store } from "../../db/store.ts";
import type { Headers } from "../../http/responses.ts";
import { judgeHost } from "../../lib/allowed-hosts.ts";
import { Fault, getErrorMessage } from "../../lib/fault.ts";
import { normalizeHost } from "../../lib/host-name.ts";
import { isLoopbackHost } from "../../lib/loopback.ts";
import type { Meter } from "../../lib/meter.ts";
import type { Handler } from "../create-handler.ts";
import { createListener, drain, listen, type PlainServer } from "../listener.ts";
import { sendTextResponse } from "../refusals.ts";
import { getVersion } from "../version.ts";
import {
  addProcessMetrics,
  createMeter,
  createRequestCounter,
  createStoreTimer,
  watchEventLoop,
} from "./measures.ts";
import { CONTENT_TYPE, Registry } from "./registry.ts";

const STOP_WITHIN_MS = 500;
const PATH = "/metrics";

/** Contains the gate's metrics and their own listener. The public listener never serves metrics. */
export interface Metrics {
  readonly meter: Meter;
  /** Wraps a handler to count its requests. All paths outside `paths` count as one path. */
  countRequests(handle: Handler, paths: ReadonlySet<string>): Handler;
  /** Times the operations of the store while the store is open. */
  timeStore(store: Pick<Store, "operations" | "observe">): void;
  /** Starts listening. Resolves to the URL. */
  listen(): Promise<string>;
  /** Stops within half a second. */
  stop(): Promise<void>;
}

export function openMetrics(
  { host, port }: { readonly host: string; readonly port: number },
  monotonic: () => number,
  getCertificateExpiry: () => Date | undefined,
): Metrics {
  const seconds = (): number => monotonic() / 1e3;
  const registry = new Registry();
  const build = registry.addCounter("latchkey_build_info", [], "gauge");
  build(1, { version: getVersion(), node: process.versions.node });
  const meter = createMeter(registry, seconds);
  registry.addGauge("latchkey_certificate_expiry_timestamp_seconds", () => {
    const expiry = getCertificateExpiry();
    return expiry && expiry.getTime() / 1e3;
  });
  const eventLoop = watchEventLoop(registry, seconds);
  addProcessMetrics(registry);
  const server = createMetricsServer(host, registry);
  return {
    meter,
    countRequests: createRequestCounter(registry, seconds),
    timeStore: createStoreTimer(registry),
    listen: () =>
      listen(server, host, port).catch((error) => {
        // The message names the setting, because an operator would first suspect PORT.
        const text = `METRICS_PORT: ${getErrorMessage(error)}`;
        throw new Fault("cannot_listen", text, { cause: error });
      }),
    async stop() {
      clearInterval(eventLoop);
      if (server.listening) await drain(server, STOP_WITHIN_MS);
    },
  };
}

const PLAIN_TEXT = { "Content-Type": "text/plain; charset=utf-8" };

function createMetricsServer(host: string, registry: Registry): PlainServer {
  const hostName = normalizeHost(host);
  const publicUrl = hostName === undefined ? undefined : `http://${hostName}`;
  const rule = { allowed: "loopback-setup", publicUrl, cookieDomain: undefined } as const;
  const server = createListener((request, response) => {
    const respond = (status: number, text: string, headers: Headers = {}): void =>
      sendTextResponse(response, status, { ...PLAIN_TEXT, ...headers }, text);
    const isOnLoopback = isLoopbackHost((server.address() as AddressInfo).address);
    // HTTP/1.0 clients may send no Host header. Browsers always send one.
    const requested = request.headers.host ?? "localhost";
    // This prevents DNS rebinding: only the host name distinguishes a website from a local scraper.
    if (isOnLoopback && judgeHost(rule, requested) !== "allowed") {
      respond(421, "this host name is not allowed: use a loopback name or METRICS_HOST\n");
    } else if (request.url?.split("?", 1)[0] !== PATH) {
      respond(404, `this port only serves ${PATH}\n`);
    } else if (request.method !== "GET" && request.method !== "HEAD") {
      respond(405, "method not allowed\n", { Allow: "GET, HEAD" });
    } else {
      respond(200, registry.formatText(), { "Content-Type": CONTENT_TYPE });
    }
  });
  return server;
}
