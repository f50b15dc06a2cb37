import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { eventually } from "../../../test/support/eventually.ts";
import { OWNER } from "../../../test/support/gate.ts";
import { addresses, changePassword, fromAddress, isChanged, setUp } from "../actions.ts";
import { type Case, type CaseContext, GUARD_P99_MS, unless } from "../case.ts";
import { type ClientResponse, createClient, type Exchange, type Request } from "../client.ts";
import { sqliteIn } from "../databases.ts";
import type { Gate } from "../gate.ts";
import { inMs, judgeResponses, latencies } from "../judge/requests.ts";
import { guardRequest, startProbe } from "../probe.ts";

const LOCKED_FOR_MS = { short: 7_000, full: 10_000 } as const;
/** The gate retries for five seconds; the rest is for a busy machine. */
const ANSWERED_WITHIN_MS = 7_000;
const RECOVERED_WITHIN_MS = 2_000;

/** Locks the database from another process until its standard input ends. */
const LOCKING = `
const { DatabaseSync } = require("node:sqlite");
const database = new DatabaseSync(process.argv[1], { timeout: 5000 });
database.exec("BEGIN EXCLUSIVE");
process.stdout.write("locked");
process.stdin.on("end", () => database.exec("ROLLBACK")).resume();
`;

export const databaseLocked: Case = {
  name: "database-locked",
  about: "another process holds SQLite's lock",
  seconds: { short: 10, full: 13 },
  pace: "waits",
  async run(context, form) {
    const folder = await context.folder();
    const gate = await context.startGate(folder);
    const session = await setUp(gate);
    const locking = spawn(process.execPath, ["-e", LOCKING, gate.databaseFile]);
    context.defer(() => locking.kill("SIGKILL"));
    await once(locking.stdout, "data");

    const guards = startProbe(context, gate.url, () => guardRequest(session));
    const anonymous = startProbe(context, gate.url, () => anonymousRequest, 50);
    const clients = addresses(1);
    const signIns = startProbe(context, gate.url, () => signInRequest(clients.next().value), 100);
    const changing = createClient(gate.url).send(passwordRequest(session));
    await pause(LOCKED_FOR_MS[form]);
    locking.stdin.end();
    const start = performance.now();
    const recovered = await untilChanged(gate, session);
    context.figure("a password change works again after", inMs(recovered - start));
    context.check(
      `it recovers within ${inMs(RECOVERED_WITHIN_MS)}`,
      unless(recovered - start < RECOVERED_WITHIN_MS, inMs(recovered - start)),
    );
    const sent = { guards: await guards.stop(), anonymous: await anonymous.stop() };
    const signedIn = await signIns.stop();
    const change = await changing;
    report(context, { ...sent, signIns: signedIn, change }, GUARD_P99_MS[form]);
    await judgeEntries(context, signedIn, sqliteIn(folder));
  },
};

/** A request without a session, which the gate cannot have cached. */
const anonymousRequest: Request = {
  kind: "guard without a session",
  path: "/forward-auth",
  expected: ({ status }) => status === 401,
};

/** A change to the same password, so that sign-ins keep working. */
const passwordRequest = (session: string): Request => ({
  kind: "password change",
  path: "/account/password",
  session,
  form: {
    current_password: OWNER.password,
    new_password: OWNER.password,
    confirm_password: OWNER.password,
  },
  expected: (response) => response.status === 303 || isLater(response),
});

const signInRequest = (address: string): Request => ({
  kind: "sign-in",
  path: "/login",
  form: OWNER,
  headers: fromAddress(address),
  expected: (response) =>
    (response.status === 303 && response.session !== undefined) || isLater(response),
});

const isLater = ({ status, retryAfter }: ClientResponse): boolean =>
  status === 503 && Number(retryAfter) > 0;

async function untilChanged(gate: Gate, session: string): Promise<number> {
  await eventually(async () => {
    const answer = await changePassword(gate, session, OWNER.password, OWNER.password);
    return isChanged(answer) || undefined;
  });
  return performance.now();
}

interface Responses {
  readonly guards: readonly Exchange[];
  readonly anonymous: readonly Exchange[];
  readonly signIns: readonly Exchange[];
  readonly change: Exchange;
}

function report(
  context: CaseContext,
  { guards, anonymous, signIns, change }: Responses,
  p99Ms: number,
): void {
  context.figure("guards meanwhile", latencies(guards));
  context.figure("sign-ins meanwhile", latencies(signIns));
  context.figure("a password change meanwhile", `${change.status} after ${inMs(change.ms)}`);
  context.check(`guards respond, p99 within ${inMs(p99Ms)}`, [
    ...judgeResponses(guards, p99Ms),
    ...judgeResponses(anonymous, p99Ms),
  ]);
  context.check(
    `sign-ins succeed or get 503 within ${inMs(ANSWERED_WITHIN_MS)}`,
    judgeResponses(signIns, ANSWERED_WITHIN_MS),
  );
  context.check(
    `a password change succeeds or gets 503 within ${inMs(ANSWERED_WITHIN_MS)}`,
    judgeResponses([change], ANSWERED_WITHIN_MS),
  );
}

/** Of one type and account within a minute. Later ones are summed up. */
const MAX_REPEATED = 30;

async function judgeEntries(
  context: CaseContext,
  signIns: readonly Exchange[],
  database: ReturnType<typeof sqliteIn>,
): Promise<void> {
  const worked = signIns.filter(({ status }) => status === 303).length;
  const expected = Math.min(worked, MAX_REPEATED);
  const count = async (): Promise<number> =>
    (await database.log()).filter(({ type }) => type === "signin").length;
  await eventually(async () => (await count()) >= expected || undefined).catch(() => undefined);
  const found = await count();
  context.check(
    "every successful sign-in is in the log, or the first 30 of a minute",
    unless(found === expected, `${found} entries of ${worked} sign-ins`),
  );
}
