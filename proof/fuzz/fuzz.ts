import type { Random } from "../simulation/random.ts";
import { type Coverage, isBlock } from "./coverage.ts";
import { mutate } from "./mutate.ts";
import type { Parser } from "./parser.ts";

export interface Finding {
  readonly input: string;
  readonly problem: string;
}

export interface Fuzzing {
  readonly inputs: number;
  readonly blocks: number;
  /** The inputs that reached something new. */
  readonly corpus: readonly string[];
  /** Those of them that reached a new block. */
  readonly kept: readonly string[];
  readonly finding: Finding | undefined;
}

export interface FuzzOptions {
  readonly random: Random;
  /** Inputs of earlier runs. */
  readonly corpus: readonly string[];
  readonly coverage: Coverage;
  isDone(inputs: number): boolean;
}

/** The property that the input breaks, or `undefined`. */
export async function problemOf(parser: Parser, input: string): Promise<string | undefined> {
  try {
    // Again, since the machine may have paused or compiled.
    for (let tries = 0; tries < 3; tries += 1) {
      const before = process.threadCpuUsage();
      const checking = parser.check(input);
      if (checking !== undefined) await checking;
      const { user, system } = process.threadCpuUsage(before);
      if ((user + system) / 1_000 <= parser.maxMs) return undefined;
    }
    return `took more than ${parser.maxMs} ms`;
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

/** Mutates inputs that have reached new code, until one breaks a property. */
export async function fuzz(parser: Parser, options: FuzzOptions): Promise<Fuzzing> {
  const { random, coverage, isDone } = options;
  const seen = new Set<string>();
  const corpus: string[] = [];
  const kept: string[] = [];
  let inputs = 0;
  let finding: Finding | undefined;

  async function check(input: string): Promise<void> {
    inputs += 1;
    const problem = await problemOf(parser, input);
    if (problem !== undefined) finding ??= { input, problem };
    const found = coverage.take().filter((feature) => !seen.has(feature));
    for (const feature of found) seen.add(feature);
    if (found.length > 0) corpus.push(input);
    if (found.some(isBlock)) kept.push(input);
  }

  /** The newest inputs more often. */
  const pick = (): string => corpus[Math.floor(corpus.length * Math.sqrt(random.next()))] ?? "";

  coverage.take();
  for (const input of [...parser.seeds, ...options.corpus]) await check(input);
  while (finding === undefined && !isDone(inputs)) {
    await check(mutate(pick(), random.pick(corpus) ?? "", parser.words, random));
  }
  return { inputs, blocks: [...seen].filter(isBlock).length, corpus, kept, finding };
}
