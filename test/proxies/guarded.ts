import { Agent, type OutgoingHttpHeaders, request } from "node:http";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { freePort } from "../support/free-port.ts";
import { exampleOf, type SetUp } from "./examples.ts";
import { type RecordingApp, startRecordingApp } from "./recording-app.ts";
import { type ScriptedGate, startScriptedGate } from "./scripted-gate.ts";
import { PROXY_HOST, type ProxyServer } from "./site.ts";

/** Not the local network of the recipe. */
const OUTSIDE = "127.0.0.3";

export interface Visit {
  readonly path?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly method?: "GET" | "POST";
}

/** What a client sees: status 0 if the proxy closes the connection without an answer. */
export interface Seen {
  readonly status: number;
  readonly body: string;
}

/** An application behind a real proxy, with a gate that fails on demand. */
export interface Guarded {
  readonly app: RecordingApp;
  readonly gate: ScriptedGate;
  /** The address of the proxy, and the host under which it has the app. */
  readonly url: string;
  readonly host: string;
  visit(visit: Visit): Promise<Seen>;
}

export async function startGuarded(
  t: TestContext,
  proxy: ProxyServer,
  setUp: SetUp = "One host",
  more: readonly string[] = [],
): Promise<Guarded> {
  const port = await freePort(PROXY_HOST);
  const host = `app.example.test:${port}`;
  const app = await startRecordingApp(t);
  const gate = await startScriptedGate(t);
  const { configuration } = exampleOf(proxy.page, setUp, more);
  await proxy.start(t, configuration, { gate: gate.place, app: app.place, host: PROXY_HOST, port });
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const to = { host: PROXY_HOST, port, agent, localAddress: OUTSIDE };
  const visit = ({ path = "/", headers = {}, method = "GET" }: Visit): Promise<Seen> =>
    new Promise((resolve) => {
      request({ ...to, path, method, headers: { Host: host, ...headers } }, (incoming) => {
        const { statusCode: status = 0 } = incoming;
        text(incoming).then(
          (body) => resolve({ status, body }),
          () => resolve({ status, body: "" }),
        );
      })
        .on("error", () => resolve({ status: 0, body: "" }))
        .end(method === "POST" ? "a=1" : undefined);
    });
  return { app, gate, url: `http://${PROXY_HOST}:${port}`, host, visit };
}
