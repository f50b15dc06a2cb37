import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileIdentity } from "../stores/sqlite/file.ts";
import { type Check, checkOf, type Finding, hint, problem } from "./check.ts";

const PARTIAL = /\.partial(-wal|-shm|-journal)?$/;
const REPLACED = /\.replaced-[\dTZ-]+?(-wal|-shm|-journal)?$/;

/** Finds what `latchkey restore` has left beside the database: kept, or because it was killed. */
export const checkLeftovers: Check = checkOf("leftovers", ["database"], async ({ settings }) => {
  if (settings.database.kind === "postgres") return undefined;
  const { file } = settings.database;
  const names = await readdir(dirname(file)).catch(() => []);
  const beside = names
    .filter((name) => name.startsWith(`${basename(file)}.`))
    .map((name) => join(dirname(file), name));

  const replaced = beside.filter((path) => REPLACED.test(path));
  const second = replaced.filter((path) => fileIdentity(path) === fileIdentity(file));
  // Its database still has its own name, so the log of the database has been moved away from it.
  const moved = replaced.filter((path) => second.some((one) => path.startsWith(`${one}-`)));
  const killed = [...beside.filter((path) => PARTIAL.test(path)), ...second].join(" ");
  const kept = replaced.filter((path) => ![...second, ...moved].includes(path)).join(" ");
  const killedFinding = hint(
    `a backup or restore that was killed has left ${killed}`,
    `while the gate is stopped and no backup or restore runs: rm ${killed}`,
  );
  const keptFinding = hint(
    `a restore has kept the database that it replaced: ${kept}`,
    `once you no longer need it: rm ${kept}`,
  );
  return [
    ...moved.map((path) => movedFinding(file, path)),
    ...(killed === "" ? [] : [killedFinding]),
    ...(kept === "" ? [] : [keptFinding]),
  ];
});

function movedFinding(file: string, path: string): Finding {
  const [suffix] = /-\w+$/.exec(path) ?? [""];
  return problem(
    `a restore that was killed has moved ${file}${suffix} to ${path}: the newest changes are missing`,
    `if the gate has not written to the database since, stop it and run mv -n ${path} ${file}${suffix}; otherwise restore a backup`,
  );
}
