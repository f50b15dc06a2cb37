import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { makeCertificate, writeCertificate } from "../../../test/support/certificates.ts";
import { OWNER } from "../../../test/support/gate.ts";
import type { Spoken } from "../caller.ts";
import { type Case, GUARD_P99_MS, type Stage, unless } from "../case.ts";
import type { Gate } from "../gate.ts";
import { inMegabytes } from "../judge/memory.ts";
import { inMs, judgeAnswers, latencies } from "../judge/requests.ts";
import { guardRequest, startProbe } from "../probe.ts";
import { residentBytes } from "../process.ts";
import { isSignedIn, setUp, signIn } from "../visits.ts";

const COUNT = { short: 100, full: 500 } as const;
const SIGN_IN_WITHIN_MS = 2_000;
const MOST_BYTES_EACH = 128 * 1024;
const DRIP_EVERY_MS = 500;

const HEAD = "POST /login HTTP/1.1\r\nHost: gate\r\n";
const FORM = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 5000\r\n\r\n";
/** The beginning of a handshake whose other thousand bytes never come. */
const HELLO = "\x16\x03\x01\x04\x00\x01";

/** What each kind sends at once and bit by bit, to which door, and how long it may go on. */
const kinds = {
  idle: {
    first: "GET /login HTTP/1.1\r\nHost: gate\r\n\r\n",
    drip: "",
    door: "http",
    withinMs: 9_000,
  },
  "slow headers": { first: HEAD, drip: "X-A: b\r\n", door: "http", withinMs: 10_000 },
  "slow bodies": { first: `${HEAD}${FORM}`, drip: "a", door: "http", withinMs: 16_000 },
  "slow handshakes": { first: HELLO, drip: "\0", door: "https", withinMs: 10_000 },
} as const satisfies Record<string, Kind>;

interface Kind {
  readonly first: string;
  readonly drip: string;
  readonly door: "http" | "https";
  readonly withinMs: number;
}

export const connections: Case = {
  name: "connections",
  about: "hundreds of connections are idle, others slow, one bit after the other",
  seconds: { short: 14, full: 14 },
  pace: "waits",
  async run(stage, form) {
    const gates = await startGates(stage);
    const both = Object.values(gates);
    const memory = (): number => both.reduce((sum, { gate }) => sum + residentBytes(gate.pid), 0);
    const before = memory();
    const probes = both.map(({ gate, session }) =>
      startProbe(stage, gate.url, () => guardRequest(session)),
    );
    const crowds = Object.entries(kinds).map(([name, kind]) => ({
      name,
      withinMs: kind.withinMs,
      closed: Array.from({ length: COUNT[form] }, () => untilClosed(gates[kind.door].gate, kind)),
    }));
    // While all of them are there.
    await pause(1_500);
    const start = performance.now();
    const entered = await signIn(gates.http.gate, OWNER.password, "10.0.0.1");
    const tookMs = performance.now() - start;
    const rise = memory() - before;
    const total = COUNT[form] * crowds.length;
    for (const { name, withinMs, closed } of crowds) {
      const times = await Promise.all(closed);
      const last = Math.max(...times);
      stage.figure(`${times.length} ${name}, the last closed after`, inMs(last));
      stage.promise(
        `${name} are closed within ${inMs(withinMs)}`,
        unless(last <= withinMs, inMs(last)),
      );
    }
    const guards: readonly Spoken[] = (
      await Promise.all(probes.map((probe) => probe.stop()))
    ).flat();
    stage.figure("guards meanwhile", latencies(guards));
    stage.figure("a sign-in meanwhile", inMs(tookMs));
    stage.figure(`memory for ${total} connections`, inMegabytes(rise));
    stage.promise(
      `guards answer, 99 of 100 within ${inMs(GUARD_P99_MS[form])}`,
      judgeAnswers(guards, GUARD_P99_MS[form]),
    );
    stage.promise(
      `a sign-in works within ${inMs(SIGN_IN_WITHIN_MS)}`,
      unless(
        isSignedIn(entered) && tookMs <= SIGN_IN_WITHIN_MS,
        `${entered.status}, ${inMs(tookMs)}`,
      ),
    );
    stage.promise(
      "no connection takes more than 128 KiB",
      // What the sign-in takes besides does not grow with them.
      unless(rise <= total * MOST_BYTES_EACH + 40 * 2 ** 20, inMegabytes(rise)),
    );
  },
};

interface Guarded {
  readonly gate: Gate;
  readonly session: string;
}

/** One for each door: with a certificate, forms are led from plain HTTP to HTTPS. */
async function startGates(stage: Stage): Promise<Readonly<Record<"http" | "https", Guarded>>> {
  const folders = [await stage.folder(), await stage.folder()] as const;
  const before = await stage.startGate(folders[1]);
  const session = await setUp(before);
  await before.stop();
  const settings = await withCertificate(folders[1].path);
  const http = await stage.startGate(folders[0]);
  return {
    http: { gate: http, session: await setUp(http) },
    https: { gate: await stage.startGate(folders[1], { settings }), session },
  };
}

export async function withCertificate(dir: string): Promise<Readonly<Record<string, string>>> {
  const { certFile, keyFile } = await writeCertificate(
    dir,
    makeCertificate({ names: ["gate.test"] }),
  );
  return { HTTPS_PORT: "0", TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
}

/** Goes on until the gate ends the connection, and answers with how long that took. */
function untilClosed(gate: Gate, { first, drip, door }: Kind): Promise<number> {
  const port = door === "https" ? Number(new URL(gate.httpsUrl ?? "").port) : gate.port;
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
