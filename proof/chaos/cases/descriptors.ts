import { mkdirSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { eventually } from "../../../test/support/eventually.ts";
import { OWNER } from "../../../test/support/gate.ts";
import { isSignedIn } from "../actions.ts";
import { type Case, unless } from "../case.ts";
import { type Client, createClient, type Exchange, type Request } from "../client.ts";
import { sqliteIn } from "../databases.ts";
import { dataDirIn, type Gate } from "../gate.ts";
import { inMs } from "../judge/requests.ts";

const MAX_DESCRIPTORS = 64;
const CONNECTIONS = 200;
const TOKEN = "the required setup token";
const EXHAUSTED_FOR_MS = { short: 3_000, full: 15_000 } as const;
const RECOVERED_WITHIN_MS = 12_000;

export const descriptors: Case = {
  name: "descriptors",
  about: "no file descriptor is left, and clients without the token try to set up",
  seconds: { short: 6, full: 18 },
  pace: "waits",
  async run(context, form) {
    const folder = await context.folder();
    const dataDir = dataDirIn(folder);
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, "setup-token"), TOKEN);
    const gate = await context.startGate(folder, {
      through: ["prlimit", `--nofile=${MAX_DESCRIPTORS}`],
    });
    const database = sqliteIn(folder);
    // Connections opened before, whose requests still arrive.
    const clients = ["wrong", ""].map((token) => ({ token, client: createClient(gate.url) }));
    for (const { client } of clients) context.defer(client.close);
    const calm = [];
    for (const { token, client } of clients) calm.push(await client.send(setupRequest(token)));

    const running = startClients(gate);
    context.defer(() => running.stop());
    await eventually(async () => (await openIn(gate)) >= MAX_DESCRIPTORS - 2 || undefined);
    const answers = await tryFor(EXHAUSTED_FOR_MS[form], clients);
    running.stop();
    const users = await database.users();

    const counts = [...Map.groupBy(answers, ({ fate, status }) => `${fate} ${status}`)];
    context.figure(
      "setups without the token",
      counts.map(([what, of]) => `${of.length} ${what}`).join(", "),
    );
    context.check("no setup without the token creates an account", [
      ...unless(users === 0, `${users} accounts`),
      ...answers
        .filter(({ response }) => response?.session !== undefined)
        .map(() => "a session was issued"),
    ]);
    context.check("each is rejected or gets an error page", [
      ...answers
        .filter(({ fate, expected }) => fate === "answered" && expected === "no")
        .map(({ status }) => `status ${status}`),
      ...unless(
        calm.every(({ status }) => status === 403),
        "the token was not required at first",
      ),
      ...unless(
        answers.some(({ status }) => status === 500),
        "the token file was always readable, so nothing was tested",
      ),
    ]);
    const start = performance.now();
    const recovered = await untilSetUp(gate).catch(() => undefined);
    context.figure("setup with the token works again after", inMs(performance.now() - start));
    context.check(
      `it recovers within ${inMs(RECOVERED_WITHIN_MS)}`,
      unless(recovered, `the setup fails: ${gate.serverLog().slice(-300)}`),
    );
  },
};

const setupRequest = (token: string): Request => ({
  kind: "setup without the token",
  path: "/setup",
  form: { ...OWNER, confirm: OWNER.password, token },
  expected: ({ status, session }) => [403, 500, 503].includes(status) && session === undefined,
});

interface SetupClient {
  readonly token: string;
  readonly client: Client;
}

async function tryFor(ms: number, clients: readonly SetupClient[]): Promise<readonly Exchange[]> {
  const giveUpAt = performance.now() + ms;
  const tries = clients.map(async ({ token, client }) => {
    const answers: Exchange[] = [];
    while (performance.now() < giveUpAt) {
      answers.push(await client.send(setupRequest(token)));
      await pause(20);
    }
    return answers;
  });
  return (await Promise.all(tries)).flat();
}

/** Opens idle connections, and replaces each that the gate closes. */
function startClients({ port }: Gate): { stop(): void } {
  const sockets = new Set<Socket>();
  let stopped = false;
  const open = (): void => {
    if (stopped) return;
    const socket = connect(port, "127.0.0.1");
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => {
      sockets.delete(socket);
      // With a delay, because refused connections would otherwise loop without a pause.
      setTimeout(open, 50).unref();
    });
  };
  for (let count = 0; count < CONNECTIONS; count += 1) open();
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
