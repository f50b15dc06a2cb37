import { accessSync, constants, existsSync, statSync } from "node:fs";
import type { Amounts } from "../../core/transfer/transfer-store.ts";
import { fileErrorText } from "../../files/file-error.ts";
import { writeOutput } from "../../files/output-file.ts";
import { copyDatabase, type FileCopy } from "../../stores/sqlite/backup.ts";
import type { OptionValues } from "../command.ts";
import type { Ports } from "../terminal.ts";
import { progressDisplay } from "./progress.ts";

/** Why a file cannot be read, or `undefined` if it can. */
export function readProblem(file: string): string | undefined {
  try {
    if (statSync(file).isDirectory()) return `cannot read ${file}: it is a folder`;
    accessSync(file, constants.R_OK);
    return undefined;
  } catch (error) {
    return fileErrorText("read", file, error);
  }
}

/** Why a file may not be written there, or `undefined` if it may. */
export function overwriteProblem(file: string, { force }: OptionValues): string | undefined {
  if (!existsSync(file)) return undefined;
  if (force !== true) return `${file} already exists: --force overwrites it`;
  return statSync(file).isDirectory() ? `cannot write ${file}: it is a folder` : undefined;
}

/** Whether both paths lead to one file. One that cannot be examined is reported by what opens it. */
export function isSameFile(one: string, other: string): boolean {
  try {
    const [a, b] = [statSync(one), statSync(other)];
    return a.dev === b.dev && a.ino === b.ino;
  } catch {
    return false;
  }
}

interface Copying extends Pick<FileCopy, "from" | "source"> {
  readonly file: string;
  /** Moves the finished copy to its place. */
  readonly put: (unfinished: string) => void;
}

/** Copies an SQLite database to a file, and shows the progress. */
export async function copySqlite(
  { from, source, file, put }: Copying,
  { stderr }: Ports,
): Promise<Amounts> {
  using display = progressDisplay(stderr);
  const progress: FileCopy["progress"] = (pages) => display.show({ step: "copying", pages });
  return await writeOutput(
    file,
    (output) => output.byName((to) => copyDatabase({ from, source, to, progress })),
    put,
  );
}
