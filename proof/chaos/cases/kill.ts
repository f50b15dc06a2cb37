import { setTimeout as pause } from "node:timers/promises";
import { OWNER } from "../../../test/support/gate.ts";
import type { GuardedFolder } from "../../../test/support/postgres-folder.ts";
import { type Case, type Stage, unless } from "../case.ts";
import { judgeLog } from "../judge/log.ts";
import { judgePasswords } from "../judge/passwords.ts";
import { createHistory, type History } from "../kill/history.ts";
import { checkAfterStart, startCrowd } from "../kill/load.ts";
import { type Ground, postgresFor, sqliteIn } from "../stores.ts";
import { addresses, setUp } from "../visits.ts";

const KILLS = { short: 3, full: 200 } as const;
/** The kill comes at any moment up to then, once the crowd is there. */
const LATEST_MS = 700;
const TOLD_EVERY = 25;

export const kill: Case = {
  name: "kill",
  about: "the gate is killed again and again under load, on SQLite and on PostgreSQL",
  seconds: { short: 9, full: 320 },
  pace: "measures",
  async run(stage, form) {
    const folders = [await stage.folder(), await stage.folder()] as const;
    const grounds = [sqliteIn(folders[0]), await postgresFor(stage, folders[1])] as const;
    // Side by side: most of it is waiting for a process to start.
    await Promise.all([
      series(stage, folders[0], grounds[0], KILLS[form]),
      series(stage, folders[1], grounds[1], KILLS[form]),
    ]);
  },
};

async function series(
  stage: Stage,
  folder: GuardedFolder,
  ground: Ground,
  kills: number,
): Promise<void> {
  const history = createHistory(OWNER.password);
  const clients = addresses(1);
  const next = (): string => clients.next().value;
  const passwords: string[] = [];
  const accounts: string[] = [];
  for (let life = 1; life <= kills + 1; life += 1) {
    history.newLife();
    const gate = await stage.startGate(folder, { settings: ground.settings });
    if (life === 1) await begin(gate, history);
    const opening = await checkAfterStart(gate, history, next);
    passwords.push(...judgePasswords(history.password, opening));
    for (const password of opening) history.inForce(password);
    const users = await ground.users();
    accounts.push(...unless(users === 1, `${users} accounts after kill ${life - 1}`));
    if (life > kills) {
      await gate.stop();
      break;
    }
    const crowd = startCrowd(gate, history, next);
    await pause(Math.random() * LATEST_MS);
    await gate.kill();
    await crowd.over;
    history.lifeOver();
    if (life % TOLD_EVERY === 0) stage.say(`${ground.name}: ${life} of ${kills} kills`);
  }
  await judge(stage, ground, history, { kills, passwords, accounts });
}

async function begin(gate: Parameters<typeof setUp>[0], history: History): Promise<void> {
  const told = { type: "signup", summary: `Created account ${OWNER.username}` };
  const session = await history.done(
    told,
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
  stage: Stage,
  ground: Ground,
  history: History,
  { kills, passwords, accounts }: Found,
): Promise<void> {
  const on = (what: string): string => `${what} (${ground.name})`;
  const log = judgeLog(await ground.log(), history.deeds);
  const surely = history.deeds.filter(({ done }) => done === "surely");
  stage.figure(on("kills"), String(kills));
  const changes = surely.filter(({ type }) => type === "password_change").length;
  stage.figure(on("password changes acknowledged"), String(changes));
  stage.figure(on("sessions issued"), String(history.sessions.length));
  stage.figure(
    on("log entries lost of those acknowledged"),
    `${log.lost} of ${surely.length}, at most ${log.mostLost} with one kill`,
  );
  stage.promise(on("the last acknowledged password or the one in flight holds"), passwords);
  stage.promise(on("there is exactly one account"), accounts);
  stage.promise(on("sign-in works, sessions from before still count"), history.problems);
  stage.promise(on("the log tells what happened, once and in order"), log.problems);
  stage.promise(on("the database is sound"), await ground.integrity());
}
