import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { makeCertificate, writeCertificate } from "../../../test/support/certificates.ts";
import { OWNER } from "../../../test/support/gate.ts";
import { isSignedIn, setUp, signIn } from "../actions.ts";
import { type Case, type CaseContext, GUARD_P99_MS, unless } from "../case.ts";
import type { Exchange } from "../client.ts";
import type { Gate } from "../gate.ts";
import { inMegabytes } from "../judge/memory.ts";
import { inMs, judgeResponses, latencies } from "../judge/requests.ts";
import { guardRequest, startProbe } from "../probe.ts";
import { residentBytes } from "../process.ts";

const COUNT = { short: 100, full: 500 } as const;
const SIGN_IN_WITHIN_MS = 2_000;
const MAX_BYTES_EACH = 128 * 1024;
const DRIP_EVERY_MS = 500;

const HEAD = "POST /login HTTP/1.1\r\nHost: gate\r\n";
const FORM = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 5000\r\n\r\n";
/** The start of a TLS handshake whose other 1,000 bytes never arrive. */
const HELLO = "\x16\x03\x01\x04\x00\x01";

/** What each kind sends at first and in drips, to which port, and when it must be closed. */
const kinds = {
  idle: {
    first: "GET /login HTTP/1.1\r\nHost: gate\r\n\r\n",
    drip: "",
    listener: "http",
    withinMs: 9_000,
  },
  "slow headers": { first: HEAD, drip: "X-A: b\r\n", listener: "http", withinMs: 10_000 },
  "slow bodies": { first: `${HEAD}${FORM}`, drip: "a", listener: "http", withinMs: 16_000 },
  "slow handshakes": { first: HELLO, drip: "\0", listener: "https", withinMs: 10_000 },
} as const satisfies Record<string, Kind>;

interface Kind {
  readonly first: string;
  readonly drip: string;
  readonly listener: "http" | "https";
  readonly withinMs: number;
}

export const connections: Case = {
  name: "connections",
  about: "hundreds of connections are idle or slow",
  seconds: { short: 14, full: 14 },
  pace: "waits",
  async run(context, form) {
    const gates = await startGates(context);
    const both = Object.values(gates);
    const memory = (): number => both.reduce((sum, { gate }) => sum + residentBytes(gate.pid), 0);
    const before = memory();
    const probes = both.map(({ gate, session }) =>
      startProbe(context, gate.url, () => guardRequest(session)),
    );
    const groups = Object.entries(kinds).map(([name, kind]) => ({
      name,
      withinMs: kind.withinMs,
      closed: Array.from({ length: COUNT[form] }, () =>
        untilClosed(gates[kind.listener].gate, kind),
      ),
    }));
    // Waits until all of them are open.
    await pause(1_500);
    const start = performance.now();
    const signedIn = await signIn(gates.http.gate, OWNER.password, "10.0.0.1");
    const tookMs = performance.now() - start;
    const rise = memory() - before;
    const total = COUNT[form] * groups.length;
    for (const { name, withinMs, closed } of groups) {
      const times = await Promise.all(closed);
      const last = Math.max(...times);
      context.figure(`${times.length} ${name}, the last closed after`, inMs(last));
      context.check(
        `${name} are closed within ${inMs(withinMs)}`,
        unless(last <= withinMs, inMs(last)),
      );
    }
    const guards: readonly Exchange[] = (
      await Promise.all(probes.map((probe) => probe.stop()))
    ).flat();
    context.figure("guards meanwhile", latencies(guards));
    context.figure("a sign-in meanwhile", inMs(tookMs));
    context.figure(`memory for ${total} connections`, inMegabytes(rise));
    context.check(
      `guards respond, p99 within ${inMs(GUARD_P99_MS[form])}`,
      judgeResponses(guards, GUARD_P99_MS[form]),
    );
    context.check(
      `a sign-in works within ${inMs(SIGN_IN_WITHIN_MS)}`,
      unless(
        isSignedIn(signedIn) && tookMs <= SIGN_IN_WITHIN_MS,
        `${signedIn.status}, ${inMs(tookMs)}`,
      ),
    );
    context.check(
      "no connection takes more than 128 KiB",
      // The sign-in takes memory too, independent of the connections.
      unless(rise <= total * MAX_BYTES_EACH + 40 * 2 ** 20, inMegabytes(rise)),
    );
  },
};

interface Guarded {
  readonly gate: Gate;
  readonly session: string;
}

/** One gate per listener, because with a certificate, HTTP redirects forms to HTTPS. */
async function startGates(
  context: CaseContext,
): Promise<Readonly<Record<"http" | "https", Guarded>>> {
  const folders = [await context.folder(), await context.folder()] as const;
  const before = await context.startGate(folders[1]);
  const session = await setUp(before);
  await before.stop();
  const settings = await withCertificate(folders[1].path);
  const http = await context.startGate(folders[0]);
  return {
    http: { gate: http, session: await setUp(http) },
    https: { gate: await context.startGate(folders[1], { settings }), session },
  };
}

export async function withCertificate(dir: string): Promise<Readonly<Record<string, string>>> {
  const { certFile, keyFile } = await writeCertificate(
    dir,
    makeCertificate({ names: ["gate.test"] }),
  );
  return { HTTPS_PORT: "0", TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
}

/** Sends until the gate closes the connection, and returns how long that took. */
function untilClosed(gate: Gate, { first, drip, listener }: Kind): Promise<number> {
  const port = listener === "https" ? Number(new URL(gate.httpsUrl ?? "").port) : gate.port;
  const socket: Socket = connect(port, "127.0.0.1");
  const dripping = setInterval(() => {
    if (drip !== "" && socket.writable) socket.write(drip, "latin1");
  }, DRIP_EVERY_MS);
  return new Promise((resolve) => {
    let start = performance.now();
    socket.on("error", () => {});
    socket.on("connect", () => {
      start = performance.now();
      socket.write(first, "latin1");
    });
    socket.resume().on("close", () => {
      clearInterval(dripping);
      resolve(performance.now() - start);
    });
  });
}
