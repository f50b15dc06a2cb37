import { setTimeout as pause } from "node:timers/promises";
import { OWNER } from "../../../test/support/gate.ts";
import type { GuardedFolder } from "../../../test/support/postgres-folder.ts";
import { addresses, setUp } from "../actions.ts";
import { type Case, type CaseContext, unless } from "../case.ts";
import { type GateDatabase, postgresFor, sqliteIn } from "../databases.ts";
import { judgeLog } from "../judge/log.ts";
import { judgePasswords } from "../judge/passwords.ts";
import { checkAfterStart, startClients } from "../kill/clients.ts";
import { createHistory, type History } from "../kill/history.ts";

const KILLS = { short: 3, full: 200 } as const;
/** The latest moment of the kill after the clients start. */
const MAX_DELAY_MS = 700;
const REPORT_EVERY = 25;

export const kill: Case = {
  name: "kill",
  about: "the gate is killed under load, on both databases",
  seconds: { short: 9, full: 320 },
  pace: "measures",
  async run(context, form) {
    const folders = [await context.folder(), await context.folder()] as const;
    const databases = [sqliteIn(folders[0]), await postgresFor(context, folders[1])] as const;
    // In parallel, because most of the time is spent waiting for a process to start.
    await Promise.all([
      series(context, folders[0], databases[0], KILLS[form]),
      series(context, folders[1], databases[1], KILLS[form]),
    ]);
  },
};

async function series(
  context: CaseContext,
  folder: GuardedFolder,
  database: GateDatabase,
  kills: number,
): Promise<void> {
  const history = createHistory(OWNER.password);
  const clients = addresses(1);
  const next = (): string => clients.next().value;
  const passwords: string[] = [];
  const accounts: string[] = [];
  for (let life = 1; life <= kills + 1; life += 1) {
    history.processStarted();
    const gate = await context.startGate(folder, { settings: database.settings });
    if (life === 1) await begin(gate, history);
    const working = await checkAfterStart(gate, history, next);
    passwords.push(...judgePasswords(history.password, working));
    for (const password of working) history.isCurrent(password);
    const users = await database.users();
    accounts.push(...unless(users === 1, `${users} accounts after kill ${life - 1}`));
    if (life > kills) {
      await gate.stop();
      break;
    }
    const running = startClients(gate, history, next);
    await pause(Math.random() * MAX_DELAY_MS);
    await gate.kill();
    await running.over;
    history.processEnded();
    if (life % REPORT_EVERY === 0) context.say(`${database.name}: ${life} of ${kills} kills`);
  }
  await judge(context, database, history, { kills, passwords, accounts });
}

async function begin(gate: Parameters<typeof setUp>[0], history: History): Promise<void> {
  const text = { type: "signup", summary: `Created account ${OWNER.username}` };
  const session = await history.done(
    text,
    () => setUp(gate),
    () => true,
  );
  history.signedIn(session ?? "");
}

interface Found {
  readonly kills: number;
  readonly passwords: readonly string[];
  readonly accounts: readonly string[];
}

async function judge(
  context: CaseContext,
  database: GateDatabase,
  history: History,
  { kills, passwords, accounts }: Found,
): Promise<void> {
  const on = (what: string): string => `${what} (${database.name})`;
  const log = judgeLog(await database.log(), history.actions);
  const acknowledged = history.actions.filter(({ done }) => done === "acknowledged");
  context.figure(on("kills"), String(kills));
  const changes = acknowledged.filter(({ type }) => type === "password_change").length;
  context.figure(on("password changes acknowledged"), String(changes));
  context.figure(on("sessions issued"), String(history.sessions.length));
  context.figure(
    on("log entries lost, of those acknowledged"),
    `${log.lost} of ${acknowledged.length}, at most ${log.maxLost} per kill`,
  );
  context.check(on("the last acknowledged password or the one in flight works"), passwords);
  context.check(on("there is exactly one account"), accounts);
  context.check(on("sign-in works, earlier sessions stay valid"), history.problems);
  context.check(on("the log has what happened, once and in order"), log.problems);
  context.check(on("the database is intact"), await database.integrity());
}
