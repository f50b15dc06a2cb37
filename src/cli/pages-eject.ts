import { mkdir, readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { makeWhole } from "../gate/files/whole-file.ts";
import { DEFAULT_PAGES } from "../web/pages/templates.ts";
import { type Command, FAILURE, SUCCESS } from "./command.ts";
import type { Terminal } from "./terminal.ts";

const DEFAULT_TARGET = "pages";
/** As far as the umask allows: the gate may run as another user. */
const READABLE_BY_ALL = 0o644;

export const pagesEjectCommand: Command = {
  name: "pages eject",
  summary: "Copies the pages that come along into a folder, to be changed there.",
  options: [
    {
      name: "to",
      value: "folder",
      about: `where to (default: PAGES_DIR, or ./${DEFAULT_TARGET})`,
      completes: "folder",
    },
    { name: "force", about: "overwrites what is in the folder already" },
  ],
  settings: ["PAGES_DIR"],

  async run(settings, options, terminal) {
    const target =
      typeof options.to === "string" && options.to !== ""
        ? resolve(options.to)
        : (settings.pagesDir ?? resolve(DEFAULT_TARGET));
    const files = await readdir(DEFAULT_PAGES);
    await mkdir(target, { recursive: true });
    if (options.force !== true && (await complainOfExisting(files, target, terminal)))
      return FAILURE;
    for (const file of files) {
      const content = await readFile(join(DEFAULT_PAGES, file));
      // Replaced, not overwritten: a link in the place of a page could lead to a file of root's.
      await makeWhole(join(target, file), {
        mode: READABLE_BY_ALL,
        fill: ({ handle }) => handle.writeFile(content),
      });
      terminal.print(join(target, file));
    }
    terminal.print(
      `Start the gate with PAGES_DIR=${target}. What you leave as it is, delete: then it stays up to date.`,
    );
    return SUCCESS;
  },
};

/** Before anything is copied, so that it is all of them or none. */
async function complainOfExisting(
  files: readonly string[],
  target: string,
  terminal: Terminal,
): Promise<boolean> {
  const existing = (await readdir(target)).filter((file) => files.includes(file));
  if (existing.length === 0) return false;
  terminal.complain(`${target} has ${existing.join(", ")} already: --force overwrites`);
  return true;
}
