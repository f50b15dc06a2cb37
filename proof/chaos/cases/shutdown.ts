import { setTimeout as pause } from "node:timers/promises";
import { makeCertificate, writeCertificate } from "../../../test/support/certificates.ts";
import { OWNER } from "../../../test/support/gate.ts";
import { addresses, fromAddress, setUp } from "../actions.ts";
import { type Case, type CaseContext, unless } from "../case.ts";
import { type Client, createClient, type Exchange, type Request } from "../client.ts";
import type { Gate } from "../gate.ts";
import { createH2Client } from "../h2-client.ts";
import { inMs, judgeResets, judgeShutdown } from "../judge/requests.ts";
import { guardRequest } from "../probe.ts";

const ROUNDS = { short: 3, full: 25 } as const;
const CLIENTS = 16;
const MIN_DELAY_MS = 100;
const MAX_DELAY_MS = 500;
const ENDED_WITHIN_MS = 10_000;
const NAME = "gate.test";

const clients = addresses(1);

/** Each client repeats one of these requests. */
const requests: readonly ((session: string) => Request)[] = [
  guardRequest,
  () => ({ kind: "page", path: "/login", expected: isFullPage }),
  (session) => ({ kind: "account", path: "/account/profile", session, expected: isFullPage }),
  () => ({
    kind: "sign-in",
    path: "/login",
    form: OWNER,
    headers: fromAddress(clients.next().value),
    expected: ({ status, location }) => status === 303 && location === "/",
  }),
];

const isFullPage: Request["expected"] = ({ status, body }) =>
  status === 200 && body.trimEnd().endsWith("</html>");

/** How the clients connect. */
const protocols: Readonly<Record<string, (context: CaseContext) => Promise<Round>>> = {
  "HTTP/1.1": async (context) => {
    const gate = await context.startGate(await context.folder());
    const clients = Array.from({ length: CLIENTS }, () => createClient(gate.url));
    return { gate, session: await setUp(gate), clients, isOpen: () => true };
  },
  "HTTP/2": async (context) => {
    const folder = await context.folder();
    // The first gate has no HTTPS, because with it HTTP redirects forms to HTTPS.
    const before = await context.startGate(folder);
    const session = await setUp(before);
    await before.stop();
    const certificate = makeCertificate({ names: [NAME] });
    const { certFile, keyFile } = await writeCertificate(folder.path, certificate);
    const settings = { HTTPS_PORT: "0", TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
    const gate = await context.startGate(folder, { settings });
    const client = createH2Client(gate.httpsUrl ?? "", NAME, certificate.cert);
    const clients = Array.from({ length: CLIENTS }, () => client);
    return { gate, session, clients, isOpen: () => client.isOpen };
  },
};

interface Round {
  readonly gate: Gate;
  readonly session: string;
  readonly clients: readonly Client[];
  /** Whether the client's connection accepts requests. */
  isOpen(): boolean;
}

export const shutdown: Case = {
  name: "shutdown",
  about: "SIGTERM while clients keep sending",
  seconds: { short: 9, full: 60 },
  pace: "measures",
  async run(context, form) {
    for (const [protocol, start] of Object.entries(protocols)) {
      const ends: End[] = [];
      for (let round = 0; round < ROUNDS[form]; round += 1)
        ends.push(await end(await start(context)));
      report(context, protocol, ends);
    }
  },
};

function report(context: CaseContext, protocol: string, ends: readonly End[]): void {
  const sent = ends.flatMap((one) => one.sent);
  const count = (wanted: Exchange["fate"]): number =>
    sent.filter(({ fate }) => fate === wanted).length;
  context.figure(`shutdowns over ${protocol}`, String(ends.length));
  context.figure(
    `requests over ${protocol}`,
    `${count("answered")} answered, ${count("reset")} reset on open connections, ${count("refused")} refused on new ones`,
  );
  context.figure(
    `slowest shutdown over ${protocol}`,
    inMs(Math.max(...ends.map(({ tookMs }) => tookMs))),
  );
  context.check(
    `over ${protocol}, requests sent before the signal get complete responses`,
    ends.flatMap((one) => judgeShutdown(one.sent, one.signalAt)),
  );
  context.check(
    `over ${protocol}, no open connection is reset during a request`,
    ends.flatMap((one) => judgeResets(one.sent, one.signalAt)),
  );
  context.check(
    `over ${protocol}, the gate exits with 0 within ${inMs(ENDED_WITHIN_MS)}`,
    ends.flatMap(({ code, tookMs }) => [
      ...unless(code === 0, `exit code ${code}`),
      ...unless(tookMs <= ENDED_WITHIN_MS, inMs(tookMs)),
    ]),
  );
}

interface End {
  readonly sent: readonly Exchange[];
  readonly signalAt: number;
  readonly code: number | null;
  readonly tookMs: number;
}

async function end({ gate, session, clients, isOpen }: Round): Promise<End> {
  const sent: Exchange[] = [];
  const sending = clients.map(async (client, index) => {
    const request = requests[index % requests.length] ?? guardRequest;
    for (let fate = "answered"; fate === "answered" && isOpen(); ) {
      const exchange = await client.send(request(session));
      sent.push(exchange);
      fate = exchange.fate;
    }
  });
  await pause(MIN_DELAY_MS + Math.random() * (MAX_DELAY_MS - MIN_DELAY_MS));
  const signalAt = performance.now();
  const { code } = await gate.stop();
  const tookMs = performance.now() - signalAt;
  await Promise.all(sending);
  for (const client of clients) client.close();
  return { sent, signalAt, code, tookMs };
}
