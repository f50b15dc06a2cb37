import { mkdirSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { eventually } from "../../../test/support/eventually.ts";
import { OWNER } from "../../../test/support/gate.ts";
import { type Caller, callerTo, type Request, type Spoken } from "../caller.ts";
import { type Case, unless } from "../case.ts";
import { dataDirIn, type Gate } from "../gate.ts";
import { inMs } from "../judge/requests.ts";
import { sqliteIn } from "../stores.ts";
import { isSignedIn } from "../visits.ts";

const MOST_DESCRIPTORS = 64;
const CONNECTIONS = 200;
const TOKEN = "the token that setup asks for";
const EXHAUSTED_FOR_MS = { short: 3_000, full: 15_000 } as const;
const RECOVERED_WITHIN_MS = 12_000;

export const descriptors: Case = {
  name: "descriptors",
  about: "connections use up every file descriptor while strangers try to set up",
  seconds: { short: 6, full: 18 },
  pace: "waits",
  async run(stage, form) {
    const folder = await stage.folder();
    const dataDir = dataDirIn(folder);
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, "setup-token"), TOKEN);
    const gate = await stage.startGate(folder, {
      through: ["prlimit", `--nofile=${MOST_DESCRIPTORS}`],
    });
    const ground = sqliteIn(folder);
    // Connections from before: their requests still come through.
    const callers = ["wrong", ""].map((token) => ({ token, caller: callerTo(gate.url) }));
    for (const { caller } of callers) stage.defer(caller.close);
    const calm = [];
    for (const { token, caller } of callers) calm.push(await caller.ask(setupRequest(token)));

    const crowd = startCrowd(gate);
    stage.defer(() => crowd.stop());
    await eventually(async () => (await openIn(gate)) >= MOST_DESCRIPTORS - 2 || undefined);
    const answers = await tryFor(EXHAUSTED_FOR_MS[form], callers);
    crowd.stop();
    const users = await ground.users();

    const counts = [...Map.groupBy(answers, ({ fate, status }) => `${fate} ${status}`)];
    stage.figure(
      "setups without the token",
      counts.map(([what, of]) => `${of.length} ${what}`).join(", "),
    );
    stage.promise("no setup without the token makes an account", [
      ...unless(users === 0, `${users} accounts`),
      ...answers.filter(({ heard }) => heard?.session !== undefined).map(() => "a session given"),
    ]);
    stage.promise("each is refused, or an error page", [
      ...answers
        .filter(({ fate, sound }) => fate === "answered" && sound === "no")
        .map(({ status }) => `answered ${status}`),
      ...unless(
        calm.every(({ status }) => status === 403),
        "the token was not asked for to begin with",
      ),
      ...unless(
        answers.some(({ status }) => status === 500),
        "the token file could be read all the time: nothing was proved",
      ),
    ]);
    const start = performance.now();
    const recovered = await untilSetUp(gate).catch(() => undefined);
    stage.figure("setup with the token works again after", inMs(performance.now() - start));
    stage.promise(
      `it recovers within ${inMs(RECOVERED_WITHIN_MS)}`,
      unless(recovered, `nobody can set up: ${gate.serverLog().slice(-300)}`),
    );
  },
};

const setupRequest = (token: string): Request => ({
  kind: "setup without the token",
  path: "/setup",
  form: { ...OWNER, confirm: OWNER.password, token },
  sound: ({ status, session }) => [403, 500, 503].includes(status) && session === undefined,
});

interface Stranger {
  readonly token: string;
  readonly caller: Caller;
}

async function tryFor(ms: number, callers: readonly Stranger[]): Promise<readonly Spoken[]> {
  const giveUpAt = performance.now() + ms;
  const tries = callers.map(async ({ token, caller }) => {
    const answers: Spoken[] = [];
    while (performance.now() < giveUpAt) {
      answers.push(await caller.ask(setupRequest(token)));
      await pause(20);
    }
    return answers;
  });
  return (await Promise.all(tries)).flat();
}

/** Connections that do nothing, each followed by another as soon as the gate closes it. */
function startCrowd({ port }: Gate): { stop(): void } {
  const sockets = new Set<Socket>();
  let stopped = false;
  const come = (): void => {
    if (stopped) return;
    const socket = connect(port, "127.0.0.1");
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => {
      sockets.delete(socket);
      // Not at once: refused connections would follow each other without end.
      setTimeout(come, 50).unref();
    });
  };
  for (let count = 0; count < CONNECTIONS; count += 1) come();
  return {
    stop() {
      stopped = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

const openIn = async ({ pid }: Gate): Promise<number> => (await readdir(`/proc/${pid}/fd`)).length;

const untilSetUp = (gate: Gate): Promise<true> =>
  eventually(async () => {
    const form = { ...OWNER, confirm: OWNER.password, token: TOKEN };
    const answer = await gate.send("/setup", { form }).catch(() => undefined);
    return answer !== undefined && isSignedIn(answer) ? true : undefined;
  }, RECOVERED_WITHIN_MS);
