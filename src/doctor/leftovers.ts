import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Settings } from "../gate/settings/settings.ts";
import { fileIdentity } from "../stores/sqlite/file.ts";
import { type Finding, type Findings, hint, problem } from "./check.ts";

const PARTIAL = /\.partial(-wal|-shm|-journal)?$/;
const REPLACED = /^replaced-[\dTZ-]+?(-wal|-shm|-journal)?$/;

/** Finds what `latchkey restore` has left beside the database: kept, or because it was killed. */
export async function checkLeftovers({
  settings: { database },
}: {
  readonly settings: Pick<Settings, "database">;
}): Promise<Findings> {
  if (database.kind === "postgres") return undefined;
  const { file } = database;
  const names = await readdir(dirname(file)).catch(() => []);
  const rests = names
    .filter((name) => name.startsWith(`${basename(file)}.`))
    .map((name) => name.slice(basename(file).length + 1));
  const pathsOf = (found: readonly string[]): string =>
    found.map((rest) => `${join(dirname(file), basename(file))}.${rest}`).join(" ");

  const replaced = rests.filter((rest) => REPLACED.test(rest));
  const isSecondName = (rest: string): boolean =>
    fileIdentity(pathsOf([rest])) === fileIdentity(file);
  const second = replaced.filter(isSecondName);
  // Its database still has its own name, so the log of the database has been moved away from it.
  const moved = replaced.filter((rest) => second.some((one) => rest.startsWith(`${one}-`)));
  const killed = [...rests.filter((rest) => PARTIAL.test(rest)), ...second];
  const kept = replaced.filter((rest) => !second.includes(rest) && !moved.includes(rest));
  const findings = [
    ...moved.map((rest) => movedFinding(file, pathsOf([rest]))),
    killed.length > 0 &&
      hint(
        `a backup or restore that was killed has left ${pathsOf(killed)}`,
        `while the gate is stopped and no backup or restore runs: rm ${pathsOf(killed)}`,
      ),
    kept.length > 0 &&
      hint(
        `a restore has kept the database that it replaced: ${pathsOf(kept)}`,
        `once you no longer need it: rm ${pathsOf(kept)}`,
      ),
  ];
  return findings.filter((one) => one !== false);
}

function movedFinding(file: string, path: string): Finding {
  const [suffix] = /-\w+$/.exec(path) ?? [""];
  return problem(
    `a restore that was killed has moved ${file}${suffix} to ${path}: the newest changes are missing`,
    `if the gate has not written to the database since, stop it and run mv -n ${path} ${file}${suffix}; otherwise restore a backup`,
  );
}
