import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../../test/support/free-port.ts";
import type { CaseContext } from "../case.ts";
import { postgresFor } from "../databases.ts";
import { dataDirIn, type Gate } from "../gate.ts";

const DOWN_FOR_MS = 500;

/** Gates that share a PostgreSQL, and count attempts there. */
export interface Group {
  readonly ports: readonly number[];
  readonly first: Gate;
  /** Kills one gate after the other, and starts each again. Returns the moments of the kills. */
  killInTurn(kills: number, everyMs: number): Promise<readonly number[]>;
}

export async function startGroup(context: CaseContext, count: number): Promise<Group> {
  const { settings } = await postgresFor(context, await context.folder());
  const start = async (port: number): Promise<Gate> => {
    const folder = await context.folder();
    const own = { DATA_DIR: dataDirIn(folder), PORT: String(port), SHARED_LIMITER: "on" };
    return context.startGate(folder, { settings: { ...settings, ...own } });
  };
  const first = await start(await freePort());
  const others = Array.from({ length: count - 1 }, async () => start(await freePort()));
  const gates = [first, ...(await Promise.all(others))];
  return {
    ports: gates.map(({ port }) => port),
    first,
    async killInTurn(kills, everyMs) {
      const moments: number[] = [];
      const began = performance.now();
      const untilTurn = (number: number): Promise<void> =>
        pause(Math.max(began + number * everyMs - performance.now(), 0));
      for (let kill = 0; kill < kills; kill += 1) {
        await untilTurn(kill + 1);
        const turn = kill % gates.length;
        const gate = gates[turn];
        if (gate === undefined) break;
        moments.push(performance.now());
        await gate.kill();
        await pause(DOWN_FOR_MS);
        gates[turn] = await start(gate.port);
      }
      await untilTurn(kills + 1);
      return moments;
    },
  };
}
