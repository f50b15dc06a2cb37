import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Eta, type TemplateFunction } from "eta/core";
import { Fault, messageOf } from "../../core/base/fault.ts";
import { DEFAULT_PAGES, listDefaultPages, readDefaultPage } from "./default-pages.ts";

const EXTENSION = ".eta";

/** Reads page files from the operator's folder, and those missing there from the package. */
export type ReadPage = (file: string) => { readonly path: string; readonly text: string };

export function pageReader(replacements: string | undefined): ReadPage {
  if (replacements !== undefined) refuseUnknownFiles(replacements);
  return (file) => {
    const own = replacements !== undefined && existsSync(join(replacements, file));
    const path = join(own ? replacements : DEFAULT_PAGES, file);
    try {
      return { path, text: own ? readFileSync(path, "utf8") : readDefaultPage(file) };
    } catch (error) {
      throw new Fault("page_broken", `${path}: ${messageOf(error)}`, { cause: error });
    }
  };
}

/** A misspelt file name would silently leave the default page in place. */
function refuseUnknownFiles(folder: string): void {
  const known = listDefaultPages();
  let files: string[];
  try {
    files = readdirSync(folder);
  } catch (error) {
    throw new Fault("pages_unreadable", `the pages folder ${folder} cannot be read`, {
      cause: error,
    });
  }
  for (const file of files) {
    if (file.endsWith(EXTENSION) && !known.includes(file)) {
      throw new Fault(
        "page_unknown",
        `${join(folder, file)} does not replace a page; the names are ${known.join(", ")}`,
      );
    }
  }
}

/** Compiled templates. Errors name the file, and the line unless its code does not parse. */
export class Templates extends Eta {
  constructor(read: ReadPage) {
    // `debug` makes compiled templates count their lines.
    super({ autoEscape: true, debug: true });
    for (const file of listDefaultPages()) {
      if (!file.endsWith(EXTENSION)) continue;
      const { path, text } = read(file);
      const compiled = this.#compileFrom(path, text);
      this.loadTemplate(`@${basename(file, EXTENSION)}`, function (this: Eta, contents, options) {
        return compiled.call(this, contents, { ...options, filepath: path });
      });
    }
  }

  /** Called by compiled templates. An error in a layout also passes through the page inside it. */
  override RuntimeErr = (error: Error, _text: string, line: number, path: string): never => {
    if (error instanceof Fault) throw error;
    throw new Fault("page_broken", `${path}:${line}: ${error.message}`, { cause: error });
  };

  #compileFrom(path: string, text: string): TemplateFunction {
    try {
      return this.compile(text);
    } catch (error) {
      const message = messageOf(error);
      const [, problem, line] = /^(.*) at line (\d+) col/.exec(message) ?? [];
      // Of code that does not parse, the second paragraph says why, and nothing says where.
      const where = line === undefined ? `: ${message.split("\n")[2]}` : `:${line}: ${problem}`;
      throw new Fault("page_broken", `${path}${where}`, { cause: error });
    }
  }
}
