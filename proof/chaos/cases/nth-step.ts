import { execFile } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { runCommand } from "../../../test/support/command.ts";
import { openPostgres, type Postgres } from "../../../test/support/postgres.ts";
import type { Case, CaseContext, Form } from "../case.ts";
import { type Env, type Operation, onDisk, onPostgres } from "../nth-step/operations.ts";
import { type Cut, startRelay } from "../nth-step/relay.ts";
import { type Ending, pointsOf, type Run, runWith } from "../nth-step/strace.ts";

/** The short form takes some steps of each command, evenly chosen. */
const SHORT_STEPS = 8;

export const nthStep: Case = {
  name: "nth-step",
  about: "each call to the disk or the database fails, or the command is killed there",
  seconds: { short: 60, full: 600 },
  pace: "measures",
  async run(context, form) {
    const folder = await context.folder();
    const hasStrace = await promisify(execFile)("strace", ["-qq", "true"]).catch(() => undefined);
    if (hasStrace === undefined) context.skip("failing calls to the disk: strace is not allowed");
    else for (const one of onDisk) await failOnDisk(context, form, one, folder.path);
    const server = await openPostgres();
    context.defer(() => server.close());
    for (const one of onPostgres) await failInPostgres(context, form, one, server);
  },
};

interface Place {
  readonly folder: string;
  readonly env: Env;
}

/** How a command ended, and what there was then. */
interface Left {
  readonly state: string;
  readonly problems: readonly string[];
}

/** What a command has left, what is wrong with it, and whether it can be run again. */
async function judge(operation: Operation, { folder, env }: Place, ending: Ending): Promise<Left> {
  const { before, after, args, input = "" } = operation;
  const { code, stderr } = ending;
  const state = await operation.state(folder, env);
  const problems: string[] = [];
  if (state !== before && state !== after) problems.push(`there is ${state}`);
  if (code === 0 && state !== after) problems.push(`it succeeded, and there is ${state}`);
  // A killed process says nothing.
  if (code !== null && code !== 0 && code < 128 && !/^latchkey: .+\n$/m.test(stderr))
    problems.push(`it ended with ${code} and said ${JSON.stringify(stderr)}`);
  if (/^\s+at /m.test(stderr)) problems.push(`it showed a stack: ${stderr.slice(0, 300)}`);
  if (problems.length > 0) return { state, problems };
  const again = await runCommand(args(folder), { env, input });
  const end = await operation.state(folder, env);
  if (end !== after) problems.push(`run again, there is ${end}: ${again.stderr}`);
  return { state, problems };
}

interface Steps<Step> {
  readonly name: string;
  readonly operation: Operation;
  readonly all: readonly Step[];
  readonly atOnce: number;
  attempt(step: Step): Promise<Left>;
}

async function tryAll<Step extends object>(
  context: CaseContext,
  form: Form,
  { name, operation, all, atOnce, attempt }: Steps<Step>,
): Promise<void> {
  // Odd, so that it takes both of each pair.
  const every = form === "full" ? 1 : Math.ceil(all.length / SHORT_STEPS) | 1;
  const tried = all.filter((_, index) => index % every === 0);
  const problems: string[] = [];
  let done = 0;
  const waiting = tried.values();
  const work = async (): Promise<void> => {
    for (const step of waiting) {
      const left = await attempt(step);
      if (left.state === operation.after) done += 1;
      const where = Object.values(step).join(" ");
      problems.push(...left.problems.map((problem) => `${where}: ${problem}`));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const title = `${operation.name}, ${name}`;
  const value = `${tried.length} of ${all.length}: not done ${tried.length - done}, done ${done}`;
  context.figure(`${title}: steps that fail`, value);
  context.check(`${title}: done or not at every step, and can be done again`, problems);
}

async function failOnDisk(
  context: CaseContext,
  form: Form,
  operation: Operation,
  base: string,
): Promise<void> {
  const { args, input = "" } = operation;
  const template = await mkdtemp(join(base, "template-"));
  await operation.prepare(template, { DATA_DIR: template });

  async function inCopy<T>(work: (place: Place, run: Run) => Promise<T>): Promise<T> {
    const folder = await mkdtemp(join(base, "place-"));
    await cp(template, folder, { recursive: true });
    const env = { DATA_DIR: folder };
    try {
      return await work({ folder, env }, { args: args(folder), input, env, log: `${folder}.log` });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  await tryAll(context, form, {
    name: "on a disk",
    operation,
    all: await inCopy(({ folder }, run) => pointsOf(run, folder)),
    atOnce: availableParallelism(),
    attempt: (point) =>
      inCopy(async (place, run) => judge(operation, place, await runWith(point, run))),
  });
}

async function failInPostgres(
  context: CaseContext,
  form: Form,
  operation: Operation,
  server: Postgres,
): Promise<void> {
  const { args, input = "" } = operation;

  async function attempt(cut?: Cut) {
    const folder = (await context.folder()).path;
    const DATABASE_URL = await server.newDatabase();
    const env = { DATA_DIR: folder, DATABASE_URL };
    await operation.prepare(folder, env);
    const relay = await startRelay(server.port, cut);
    const through = new URL(DATABASE_URL);
    through.host = `127.0.0.1:${relay.port}`;
    const cutOff = { ...env, DATABASE_URL: through.href };
    const ending = await runCommand(args(folder), { env: cutOff, input });
    await relay.close();
    const left = await judge(operation, { folder, env }, ending);
    return { ...left, messages: relay.messages() };
  }

  const { messages } = await attempt();
  const all = Array.from({ length: messages }, (_, index) => index + 1).flatMap((n) =>
    (["message", "answer"] as const).map((lost): Cut => ({ lost, n })),
  );
  await tryAll<Cut>(context, form, { name: "in PostgreSQL", operation, all, atOnce: 1, attempt });
}
