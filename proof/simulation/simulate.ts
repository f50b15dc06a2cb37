import { act } from "./client.ts";
import { createDatabase } from "./database.ts";
import { finish } from "./finish.ts";
import type { Mistake } from "./mistakes.ts";
import { Violation } from "./model/violation.ts";
import { createRandom, replaceRandomness } from "./random.ts";
import { createVirtualTime, replaceTimers, type VirtualTime } from "./virtual-time.ts";
import { createWorld, type World } from "./world.ts";

export interface Report {
  readonly seed: number;
  readonly steps: number;
  readonly trace: readonly string[];
  /** The promise that was not kept, if any. */
  readonly violation: string | undefined;
}

const CLIENTS = 6;
const STEPS_OF_CLIENT = 18;
const DISTURBANCES = 6;

const database = await createDatabase();

let current: VirtualTime | undefined;
replaceTimers(() => {
  if (current === undefined) throw new Error("a timer is used outside of a simulation");
  return current;
});

/** What a simulation consists of: the steps of its clients, and what happens to its gates. */
export const allEvents: readonly string[] = [
  ...Array.from({ length: CLIENTS }, (_, index) => `client ${index + 1}`).flatMap((name) =>
    Array.from({ length: STEPS_OF_CLIENT }, (_, step) => `${name} ${step}`),
  ),
  ...Array.from({ length: DISTURBANCES }, (_, count) => `disturbance ${count}`),
];

interface Variant {
  /** Puts an error back. */
  readonly mistake?: Mistake | undefined;
  /** The events that happen; by default all. */
  readonly events?: readonly string[];
}

/** Runs one simulation. The same seed repeats it exactly. */
export async function simulate(
  seed: number,
  { mistake, events = allEvents }: Variant = {},
): Promise<Report> {
  const time = createVirtualTime();
  replaceRandomness(createRandom(-seed));
  current = time;
  const world = createWorld(seed, time, database, mistake);
  const { trace } = world;
  let violation: string | undefined;
  try {
    await time.runUntil(live(world, new Set(events)));
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    violation = error.message;
  } finally {
    world.close();
  }
  return { seed, steps: trace.length, trace, violation };
}

async function live(world: World, events: ReadonlySet<string>): Promise<void> {
  const names = Array.from({ length: CLIENTS }, (_, index) => `client ${index + 1}`);
  await Promise.all([
    ...names.map((name) => actOften(world, name, events)),
    disturb(world, events),
  ]);
  await finish(world);
}

/** The world, with the random decisions of one event, which do not depend on other events. */
function deciding(world: World, event: string): World {
  const number = Array.from(event).reduce(
    (sum, one) => Math.imul(sum, 31) + one.charCodeAt(0),
    world.seed,
  );
  const random = createRandom(number);
  return new Proxy(world, {
    get: (target, name) => (name === "random" ? random : Reflect.get(target, name)),
  });
}

async function actOften(world: World, name: string, events: ReadonlySet<string>): Promise<void> {
  for (let step = 0; step < STEPS_OF_CLIENT; step += 1) {
    const event = `${name} ${step}`;
    if (!events.has(event)) continue;
    const own = deciding(world, event);
    await world.time.pause(own.random.next() ** 6 * 5_000);
    await act(own, name);
    await world.check();
  }
}

const MAX_AWAY_MS = 3_000;

/** The store is away for a while, gates crash and come back, and their clocks jump. */
async function disturb(world: World, events: ReadonlySet<string>): Promise<void> {
  const { gates, time, note } = world;
  for (let count = 0; count < DISTURBANCES; count += 1) {
    const event = `disturbance ${count}`;
    if (!events.has(event)) continue;
    const { random } = deciding(world, event);
    await time.pause(random.next() * 10_000);
    const gate = random.pick(gates);
    const kind = random.next();
    if (kind < 0.2) {
      world.awayUntil = time.now() + random.next() * MAX_AWAY_MS;
      note("the store is away");
      continue;
    }
    if (kind < 0.5) {
      gate?.setClock();
      note(`the clock of ${gate?.name} is set`);
      continue;
    }
    gate?.crash();
    note(`${gate?.name} crashes`);
    await time.pause(random.next() * 2_000);
    gate?.start();
    note(`${gate?.name} starts`);
  }
}
