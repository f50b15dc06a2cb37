import { setTimeout as pause } from "node:timers/promises";
import { makeCertificate, writeCertificate } from "../../../test/support/certificates.ts";
import { OWNER } from "../../../test/support/gate.ts";
import { type Caller, callerTo, type Request, type Spoken } from "../caller.ts";
import { type Case, type Stage, unless } from "../case.ts";
import type { Gate } from "../gate.ts";
import { h2CallerTo } from "../h2-caller.ts";
import { inMs, judgeResets, judgeShutdown } from "../judge/requests.ts";
import { guardRequest } from "../probe.ts";
import { addresses, fromAddress, setUp } from "../visits.ts";

const ROUNDS = { short: 3, full: 25 } as const;
const CLIENTS = 16;
const EARLIEST_MS = 100;
const LATEST_MS = 500;
const ENDED_WITHIN_MS = 10_000;
const NAME = "gate.test";

const clients = addresses(1);

/** Every client asks for one thing again and again. */
const requests: readonly ((session: string) => Request)[] = [
  guardRequest,
  () => ({ kind: "page", path: "/login", sound: isWhole }),
  (session) => ({ kind: "home", path: "/", session, sound: isWhole }),
  () => ({
    kind: "sign-in",
    path: "/login",
    form: OWNER,
    headers: fromAddress(clients.next().value),
    sound: ({ status, location }) => status === 303 && location === "/",
  }),
];

const isWhole: Request["sound"] = ({ status, body }) =>
  status === 200 && body.trimEnd().endsWith("</html>");

/** How clients come to the gate that is to end. */
const doors: Readonly<Record<string, (stage: Stage) => Promise<Round>>> = {
  "HTTP/1.1": async (stage) => {
    const gate = await stage.startGate(await stage.folder());
    const callers = Array.from({ length: CLIENTS }, () => callerTo(gate.url));
    return { gate, session: await setUp(gate), callers, isOpen: () => true };
  },
  "HTTP/2": async (stage) => {
    const folder = await stage.folder();
    // Without HTTPS at first: forms are led from plain HTTP to HTTPS.
    const before = await stage.startGate(folder);
    const session = await setUp(before);
    await before.stop();
    const certificate = makeCertificate({ names: [NAME] });
    const { certFile, keyFile } = await writeCertificate(folder.path, certificate);
    const settings = { HTTPS_PORT: "0", TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
    const gate = await stage.startGate(folder, { settings });
    const caller = h2CallerTo(gate.httpsUrl ?? "", NAME, certificate.cert);
    const callers = Array.from({ length: CLIENTS }, () => caller);
    return { gate, session, callers, isOpen: () => caller.isOpen };
  },
};

interface Round {
  readonly gate: Gate;
  readonly session: string;
  readonly callers: readonly Caller[];
  /** Whether there is somebody to ask, as far as the client knows. */
  isOpen(): boolean;
}

export const shutdown: Case = {
  name: "shutdown",
  about: "the gate is told to end while clients on open connections ask on and on",
  seconds: { short: 9, full: 60 },
  pace: "measures",
  async run(stage, form) {
    for (const [door, start] of Object.entries(doors)) {
      const ends: End[] = [];
      for (let round = 0; round < ROUNDS[form]; round += 1)
        ends.push(await end(await start(stage)));
      report(stage, door, ends);
    }
  },
};

function report(stage: Stage, door: string, ends: readonly End[]): void {
  const sent = ends.flatMap((one) => one.sent);
  const count = (wanted: Spoken["fate"]): number =>
    sent.filter(({ fate }) => fate === wanted).length;
  stage.figure(`ends over ${door}`, String(ends.length));
  stage.figure(
    `requests over ${door}`,
    `${count("answered")} answered, ${count("reset")} reset on open connections, ${count("refused")} refused on new ones`,
  );
  stage.figure(`the slowest end over ${door}`, inMs(Math.max(...ends.map(({ tookMs }) => tookMs))));
  stage.promise(
    `over ${door}, what was sent before the signal is answered whole`,
    ends.flatMap((one) => judgeShutdown(one.sent, one.signalAt)),
  );
  stage.promise(
    `over ${door}, no open connection is reset under a request`,
    ends.flatMap((one) => judgeResets(one.sent, one.signalAt)),
  );
  stage.promise(
    `over ${door}, the gate ends with 0 within ${inMs(ENDED_WITHIN_MS)}`,
    ends.flatMap(({ code, tookMs }) => [
      ...unless(code === 0, `exit code ${code}`),
      ...unless(tookMs <= ENDED_WITHIN_MS, inMs(tookMs)),
    ]),
  );
}

interface End {
  readonly sent: readonly Spoken[];
  readonly signalAt: number;
  readonly code: number | null;
  readonly tookMs: number;
}

async function end({ gate, session, callers, isOpen }: Round): Promise<End> {
  const sent: Spoken[] = [];
  const asking = callers.map(async (caller, place) => {
    const request = requests[place % requests.length] ?? guardRequest;
    for (let fate = "answered"; fate === "answered" && isOpen(); ) {
      const spoken = await caller.ask(request(session));
      sent.push(spoken);
      fate = spoken.fate;
    }
  });
  await pause(EARLIEST_MS + Math.random() * (LATEST_MS - EARLIEST_MS));
  const signalAt = performance.now();
  const { code } = await gate.stop();
  const tookMs = performance.now() - signalAt;
  await Promise.all(asking);
  for (const caller of callers) caller.close();
  return { sent, signalAt, code, tookMs };
}
