import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { eventually } from "../../../test/support/eventually.ts";
import { OWNER } from "../../../test/support/gate.ts";
import { callerTo, type Heard, type Request, type Spoken } from "../caller.ts";
import { type Case, GUARD_P99_MS, type Stage, unless } from "../case.ts";
import type { Gate } from "../gate.ts";
import { inMs, judgeAnswers, latencies } from "../judge/requests.ts";
import { guardRequest, startProbe } from "../probe.ts";
import { sqliteIn } from "../stores.ts";
import { addresses, changePassword, fromAddress, isChanged, setUp } from "../visits.ts";

const LOCKED_FOR_MS = { short: 7_000, full: 10_000 } as const;
/** Five seconds of trying, and what a busy machine adds. */
const ANSWERED_WITHIN_MS = 7_000;
const RECOVERED_WITHIN_MS = 2_000;

/** In a process of its own, as another program would: until its input ends. */
const LOCKING = `
const { DatabaseSync } = require("node:sqlite");
const database = new DatabaseSync(process.argv[1], { timeout: 5000 });
database.exec("BEGIN EXCLUSIVE");
process.stdout.write("locked");
process.stdin.on("end", () => database.exec("ROLLBACK")).resume();
`;

export const databaseLocked: Case = {
  name: "database-locked",
  about: "another process locks the SQLite database and does not let go",
  seconds: { short: 10, full: 13 },
  pace: "waits",
  async run(stage, form) {
    const folder = await stage.folder();
    const gate = await stage.startGate(folder);
    const session = await setUp(gate);
    const locking = spawn(process.execPath, ["-e", LOCKING, gate.databaseFile]);
    stage.defer(() => locking.kill("SIGKILL"));
    await once(locking.stdout, "data");

    const guards = startProbe(stage, gate.url, () => guardRequest(session));
    const strangers = startProbe(stage, gate.url, () => strangersRequest, 50);
    const clients = addresses(1);
    const signIns = startProbe(stage, gate.url, () => signInRequest(clients.next().value), 100);
    const changing = callerTo(gate.url).ask(passwordRequest(session));
    await pause(LOCKED_FOR_MS[form]);
    locking.stdin.end();
    const start = performance.now();
    const recovered = await untilChanged(gate, session);
    stage.figure("a password change works again after", inMs(recovered - start));
    stage.promise(
      `it recovers within ${inMs(RECOVERED_WITHIN_MS)}`,
      unless(recovered - start < RECOVERED_WITHIN_MS, inMs(recovered - start)),
    );
    const sent = { guards: await guards.stop(), strangers: await strangers.stop() };
    const signedIn = await signIns.stop();
    const change = await changing;
    report(stage, { ...sent, signIns: signedIn, change }, GUARD_P99_MS[form]);
    await judgeEntries(stage, signedIn, sqliteIn(folder));
  },
};

/** Nobody whom the gate could remember. */
const strangersRequest: Request = {
  kind: "guard for nobody",
  path: "/forward-auth",
  sound: ({ status }) => status === 401,
};

/** To itself, so that sign-ins go on with the password that they know. */
const passwordRequest = (session: string): Request => ({
  kind: "password change",
  path: "/account/password",
  session,
  form: {
    current_password: OWNER.password,
    new_password: OWNER.password,
    confirm_password: OWNER.password,
  },
  sound: (heard) => heard.status === 303 || isLater(heard),
});

const signInRequest = (address: string): Request => ({
  kind: "sign-in",
  path: "/login",
  form: OWNER,
  headers: fromAddress(address),
  sound: (heard) => (heard.status === 303 && heard.session !== undefined) || isLater(heard),
});

const isLater = ({ status, retryAfter }: Heard): boolean =>
  status === 503 && Number(retryAfter) > 0;

async function untilChanged(gate: Gate, session: string): Promise<number> {
  await eventually(async () => {
    const answer = await changePassword(gate, session, OWNER.password, OWNER.password);
    return isChanged(answer) || undefined;
  });
  return performance.now();
}

interface Answers {
  readonly guards: readonly Spoken[];
  readonly strangers: readonly Spoken[];
  readonly signIns: readonly Spoken[];
  readonly change: Spoken;
}

function report(
  stage: Stage,
  { guards, strangers, signIns, change }: Answers,
  p99Ms: number,
): void {
  stage.figure("guards meanwhile", latencies(guards));
  stage.figure("sign-ins meanwhile", latencies(signIns));
  stage.figure("a password change meanwhile", `${change.status} after ${inMs(change.ms)}`);
  stage.promise(`guards answer, 99 of 100 within ${inMs(p99Ms)}`, [
    ...judgeAnswers(guards, p99Ms),
    ...judgeAnswers(strangers, p99Ms),
  ]);
  stage.promise(
    `sign-ins work or are 503, within ${inMs(ANSWERED_WITHIN_MS)}`,
    judgeAnswers(signIns, ANSWERED_WITHIN_MS),
  );
  stage.promise(
    `a password change is 503 or works, within ${inMs(ANSWERED_WITHIN_MS)}`,
    judgeAnswers([change], ANSWERED_WITHIN_MS),
  );
}

async function judgeEntries(
  stage: Stage,
  signIns: readonly Spoken[],
  ground: ReturnType<typeof sqliteIn>,
): Promise<void> {
  const worked = signIns.filter(({ status }) => status === 303).length;
  const count = async (): Promise<number> =>
    (await ground.log()).filter(({ type }) => type === "signin").length;
  await eventually(async () => (await count()) >= worked || undefined).catch(() => undefined);
  const found = await count();
  stage.promise(
    "every sign-in meanwhile is in the log",
    unless(found === worked, `${found} entries of ${worked} sign-ins`),
  );
}
