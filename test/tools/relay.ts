import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
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
  const server = createServer((incoming, outgoing) => {
    passed += 1;
    const from = addressAt(passed % ADDRESSES);
    pass(incoming, outgoing, `${gateUrl}${incoming.url}`, from, (failure) =>
      failures.push(failure),
    );
  });
  const port = await listenOn(t, server);
  return { url: `http://127.0.0.1:${port}`, failures };
}

/** In the range reserved for benchmarks. */
const addressAt = (index: number): string => `198.18.${index >> 8}.${index & 0xff}`;

function pass(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  url: string,
  from: string,
  fail: (failure: string) => void,
): void {
  const onward = request(
    url,
    {
      method: incoming.method ?? "GET",
      agent: false,
      headers: { ...incoming.headers, connection: "close", "x-forwarded-for": from },
    },
    (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(outgoing);
    },
  );
  onward.on("error", (error) => {
    // A tool that has disconnected gets no response; this is not a failure.
    if (!outgoing.destroyed) fail(`${incoming.method} ${incoming.url}: ${error.message}`);
    outgoing.destroy();
  });
  incoming.pipe(onward);
}
