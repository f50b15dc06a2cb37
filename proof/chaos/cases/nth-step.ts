import { cp, mkdtemp, rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { openPostgres, type Postgres } from "../../../test/support/postgres.ts";
import type { Case, CaseContext, Form } from "../case.ts";
import { gateOperations, ofGates } from "../nth-step/gate-operations.ts";
import type { Ending, Operation, Place, Point } from "../nth-step/operation.ts";
import { onDisk, onPostgres } from "../nth-step/operations.ts";
import { type Cut, startRelay } from "../nth-step/relay.ts";
import { CannotWatch, hasHit, pointsIn } from "../nth-step/strace.ts";

/** The short form takes some steps of each, evenly chosen: fewer where each step starts a gate twice. */
const SHORT_STEPS: Readonly<Record<Operation["by"], number>> = { command: 7, gate: 4 };

/** How often a step is tried until its own call fails. */
const MAX_TRIES: Readonly<Record<Form, number>> = { short: 1, full: 12 };

export const nthStep: Case = {
  name: "nth-step",
  about: "each call to the disk or the database fails, or the process is killed there",
  seconds: { short: 60, full: 900 },
  pace: "measures",
  operations: [...onDisk.map(({ name }) => name), ...gateOperations],
  async run(context, form) {
    const isIncluded = ({ name }: Operation): boolean => context.includes(name);
    const folder = await context.folder();
    try {
      for (const one of [...onDisk, ...(await ofGates(context, folder))].filter(isIncluded))
        await failOnDisk(context, form, one, folder.path);
    } catch (error) {
      if (!(error instanceof CannotWatch)) throw error;
      context.skip(`failing calls to the disk: ${error.message}`);
    }
    const inPostgres = onPostgres.filter(isIncluded);
    if (inPostgres.length === 0) return;
    const server = await openPostgres();
    context.defer(() => server.close());
    for (const one of inPostgres) await failInPostgres(context, form, one, server);
  },
};

/** The state after an operation, and what is wrong with it. */
interface Left {
  readonly state: string;
  readonly problems: readonly string[];
}

/** The state after an operation, what is wrong with it, and whether it can be repeated. */
async function judge(operation: Operation, place: Place, { code, said }: Ending): Promise<Left> {
  const { before, after, failure, by } = operation;
  const state = await operation.state(place.folder, place.env);
  const problems: string[] = [];
  if (state !== before && state !== after) problems.push(`there is ${state}`);
  if (code === 0 && state !== after) problems.push(`it succeeded, and there is ${state}`);
  // A killed process prints nothing.
  if (code !== null && code !== 0 && !failure.test(said))
    problems.push(`it ended with ${code} and said ${JSON.stringify(said)}`);
  if (/^\s+at /m.test(said)) problems.push(`it showed a stack: ${said.slice(0, 300)}`);
  if (problems.length > 0) return { state, problems };
  const again = await operation.run(place);
  const end = await operation.state(place.folder, place.env);
  if (end !== after || (by === "gate" && again.code !== 0))
    problems.push(`run again, there is ${end}: ${again.said}`);
  return { state, problems };
}

interface Steps<Step> {
  readonly name: string;
  readonly operation: Operation;
  readonly all: readonly Step[];
  readonly atOnce: number;
  /** `undefined` if another call than the step failed. */
  attempt(step: Step): Promise<Left | undefined>;
}

async function tryAll<Step extends object>(
  context: CaseContext,
  form: Form,
  { name, operation, all, atOnce, attempt }: Steps<Step>,
): Promise<void> {
  // An odd stride, so that both steps of a pair occur.
  const every = form === "full" ? 1 : Math.ceil(all.length / SHORT_STEPS[operation.by]) | 1;
  const tried = all.filter((_, index) => index % every === 0);
  const problems: string[] = [];
  let hit = 0;
  let done = 0;
  const waiting = tried.values();
  const work = async (): Promise<void> => {
    for (const step of waiting) {
      const left = await attempt(step);
      if (left === undefined) continue;
      hit += 1;
      if (left.state === operation.after) done += 1;
      const where = Object.values(step).join(" ");
      problems.push(...left.problems.map((problem) => `${where}: ${problem}`));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const title = `${operation.name}, ${name}`;
  const value = `${hit} of ${all.length}: not done ${hit - done}, done ${done}`;
  context.say(`${title}: ${value}${problems.map((problem) => `\n    FAILED ${problem}`).join("")}`);
  context.figure(`${title}: steps that fail`, value);
  context.check(`${title}: done or not at every step, and can be done again`, problems);
}

async function failOnDisk(
  context: CaseContext,
  form: Form,
  operation: Operation,
  base: string,
): Promise<void> {
  const template = await mkdtemp(join(base, "template-"));
  await operation.prepare(template, { DATA_DIR: template });

  /** Where the operation runs, the part of that folder that counts, and the log of strace. */
  interface Copy {
    readonly place: Place;
    readonly part: string;
    readonly log: string;
  }
  async function inCopy<T>(work: (copy: Copy) => Promise<T>): Promise<T> {
    const folder = await mkdtemp(join(base, "place-"));
    await cp(template, folder, { recursive: true });
    const part = join(folder, operation.within ?? "");
    try {
      return await work({
        place: { folder, env: { DATA_DIR: folder } },
        part,
        log: `${folder}.log`,
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  const points = (): Promise<readonly Point[]> =>
    inCopy(async ({ place, part, log }) => {
      const { code, said } = await operation.trace(place, { log });
      if (code !== 0) throw new Error(`${operation.name}: ${said}`);
      return pointsIn(log, part);
    });

  /** Retries, because other calls in the same thread may come earlier or later than counted. */
  async function attempt(point: Point): Promise<Left | undefined> {
    for (let tries = 0; tries < MAX_TRIES[form]; tries += 1) {
      const left = await inCopy(async ({ place, part, log }) => {
        const ending = await operation.trace(place, { log, point });
        return hasHit(log, part) ? judge(operation, place, ending) : undefined;
      });
      if (left !== undefined) return left;
    }
    return undefined;
  }

  // A gate mostly waits.
  const atOnce = availableParallelism() * (operation.by === "gate" ? 3 : 1);
  await tryAll(context, form, {
    name: "on a disk",
    operation,
    all: await points(),
    atOnce,
    attempt,
  });
}

async function failInPostgres(
  context: CaseContext,
  form: Form,
  operation: Operation,
  server: Postgres,
): Promise<void> {
  async function attempt(cut?: Cut) {
    const folder = (await context.folder()).path;
    const DATABASE_URL = await server.newDatabase();
    const env = { DATA_DIR: folder, DATABASE_URL };
    await operation.prepare(folder, env);
    const relay = await startRelay(server.port, cut);
    const through = new URL(DATABASE_URL);
    through.host = `127.0.0.1:${relay.port}`;
    const ending = await operation.run({ folder, env: { ...env, DATABASE_URL: through.href } });
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
