import { mkdir, readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { replaceFile } from "../files/replace-file.ts";
import { listDefaultPages, readDefaultPage } from "../web/pages/default-pages.ts";
import { type Command, counted } from "./command.ts";

const DEFAULT_TARGET = "pages";
/** As far as the umask allows: the gate may run as another user. */
const READABLE_BY_ALL = 0o644;

export const command: Command = {
  details: "Edit them there and start the gate with PAGES_DIR set to the folder.",
  options: [
    {
      name: "to",
      value: "folder",
      about: `the target folder (default: PAGES_DIR, or ./${DEFAULT_TARGET})`,
      completes: "folder",
    },
    { name: "force", about: "overwrite files that exist" },
  ],
  settings: ["PAGES_DIR"],
  examples: ["latchkey pages eject", "latchkey pages eject --to /etc/latchkey/pages"],

  async run(settings, options, terminal) {
    const target = resolve(String(options.to ?? settings.pagesDir ?? DEFAULT_TARGET));
    const files = listDefaultPages();
    await mkdir(target, { recursive: true });
    const existing = (await readdir(target)).filter((file) => files.includes(file));
    // Before anything is copied, so that either all files are copied or none.
    if (options.force !== true && existing.length > 0) {
      return terminal.fail(`${target} already has ${existing.join(", ")}: --force overwrites them`);
    }
    for (const file of files) {
      const content = readDefaultPage(file);
      // Replaced, not overwritten: a link in place of a page could point to a file of root's.
      await replaceFile(join(target, file), {
        mode: READABLE_BY_ALL,
        fill: ({ handle }) => handle.writeFile(content),
      });
    }
    return terminal.succeed(
      `Copied ${counted(files.length, "file")} to ${target}. Start the gate with PAGES_DIR=${target}, and delete the files that you do not change: the built-in ones replace them and stay up to date.`,
    );
  },
};
