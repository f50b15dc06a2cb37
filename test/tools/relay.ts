import { Agent, createServer, request } from "node:http";
import type { TestContext } from "node:test";
import { listenOn } from "../support/listen.ts";

/** Enough addresses to keep each below the sign-in limit. */
const ADDRESSES = 8_192;

export interface Relay {
  readonly url: string;
  /** Failures between the relay and the gate. */
  readonly failures: readonly string[];
}

/**
 * A proxy that gives each request another client address, because no setting disables the sign-in
 * limit and a scanner would see only denials. The gate must trust 127.0.0.1.
 */
export async function startRelay(t: TestContext, gateUrl: string): Promise<Relay> {
  const failures: string[] = [];
  let passed = 0;
  // One connection for each request would use up the ports of the machine.
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const server = createServer((incoming, outgoing) => {
    passed += 1;
    const from = addressAt(passed % ADDRESSES);
    const headers = { ...incoming.headers, connection: "keep-alive", "x-forwarded-for": from };
    const { method = "GET", url = "" } = incoming;
    const onward = request(`${gateUrl}${url}`, { method, agent, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, { ...answer.headers, connection: "close" });
      answer.pipe(outgoing);
    });
    onward.on("error", (error) => {
      // A tool that has disconnected gets no response; this is not a failure.
      if (!outgoing.destroyed) failures.push(`${method} ${url}: ${error.message}`);
      outgoing.destroy();
    });
    incoming.pipe(onward);
  });
  const port = await listenOn(t, server);
  return { url: `http://127.0.0.1:${port}`, failures };
}

/** In the range reserved for benchmarks. */
const addressAt = (index: number): string => `198.18.${index >> 8}.${index & 0xff}`;
