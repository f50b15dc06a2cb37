import { readFileSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { fileURLToPath } from "node:url";
import { createInstrumenter } from "istanbul-lib-instrument";

/** How often the code under test has run. */
export interface Coverage {
  /** The statements and branches that have run, each with how often, since the last call. */
  take(): readonly string[];
}

/** Whether the feature is a block that was reached: an input that reaches a new one is kept. */
export const isBlock = (feature: string): boolean => feature.startsWith("block ");

/** A global of this name has the counters of each file that was loaded. */
const VARIABLE = "latchkeyCoverage";

/** What Istanbul counts in a file: statements by number, and the ways of each branch. */
interface Counters {
  readonly s: Record<string, number>;
  readonly b: Record<string, number[]>;
}

/**
 * Call once in a process, before the code is loaded: it puts counters into the code while it loads.
 *
 * @param folder A part of the URLs of the code under test.
 */
export function startCoverage(folder: string): Coverage {
  const options = { coverageVariable: VARIABLE, esModules: true, compact: true } as const;
  const instrumenter = createInstrumenter(options);
  registerHooks({
    load(url, context, nextLoad) {
      if (!url.endsWith(".ts") || !url.includes(folder)) return nextLoad(url, context);
      const file = fileURLToPath(url);
      const code = stripTypeScriptTypes(readFileSync(file, "utf8"));
      const source = instrumenter.instrumentSync(code, file);
      return { format: "module", shortCircuit: true, source };
    },
  });
  const placesOf = new Map<string, Places>();
  return {
    take() {
      const features: string[] = [];
      const files: Record<string, Counters> = Reflect.get(globalThis, VARIABLE) ?? {};
      for (const file in files) {
        const { s: statements = {}, b: branches = {} } = files[file] ?? {};
        const places = placesOf.get(file) ?? createPlaces(file);
        placesOf.set(file, places);
        for (const id in statements) {
          const count = statements[id] ?? 0;
          if (count === 0) continue;
          places.add(features, id, 0, count);
          statements[id] = 0;
        }
        for (const id in branches) {
          const ways = branches[id] ?? [];
          for (let way = 0; way < ways.length; way += 1) {
            const count = ways[way] ?? 0;
            if (count === 0) continue;
            places.add(features, id, way + 1, count);
            ways[way] = 0;
          }
        }
      }
      return features;
    },
  };
}

interface Places {
  /** Adds the features of a statement (way 0) or of a way of a branch that has run so often. */
  add(features: string[], id: string, way: number, count: number): void;
}

/** Makes each text once, because an input runs thousands of places. */
function createPlaces(file: string): Places {
  const textsOf: Record<string, string[][]> = {};
  return {
    add(features, id, way, count) {
      textsOf[id] ??= [];
      const texts = textsOf[id][way] ?? [`block ${file} ${id}/${way}`];
      textsOf[id][way] = texts;
      const size = sizeOf(count);
      texts[size] ??= `${file} ${id}/${way} ${size}`;
      features.push(texts[0] ?? "", texts[size]);
    },
  };
}

/** Rounded, so that loops of 9 and of 10 rounds count as the same. */
const sizeOf = (count: number): number => Math.ceil(Math.log2(count + 1));
