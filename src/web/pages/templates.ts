import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Eta, type TemplateFunction } from "eta/core";
import { Fault, messageOf } from "../../core/base/fault.ts";
import { DEFAULT_PAGES, listDefaultPages, readDefaultPage } from "./default-pages.ts";
import type {
  PageContents,
  PageData,
  PageFrame,
  PageFunctions,
  PageHelpers,
  PageName,
} from "./page-data.ts";
import { samples } from "./page-samples.ts";
import { type Locale, wordsIn } from "./words.ts";

const EXTENSION = ".eta";

/** Reads page files from the operator's folder, and those missing there from the package. */
type ReadPage = (file: string) => { readonly path: string; readonly text: string };

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
class Templates extends Eta {
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

export interface Pages {
  render<Name extends PageName>(name: Name, reader: Reader, data: PageData[Name]): string;
}

export interface Reader {
  readonly locale: Locale;
  readonly helpers: PageHelpers;
  /** For a page that is shown on another host: goes before every path. */
  readonly origin?: string | undefined;
}

/** The values that are the same on every page, in every language. */
type SiteFrame = Omit<PageFrame, "locale" | "words">;

/** Compiles every template and renders samples. Throws a `Fault` for a broken template. */
export function loadPages(
  read: ReadPage,
  frameAt: (origin: string) => SiteFrame,
  functions: PageFunctions,
): Pages {
  const templates = new Templates(read);
  function contents<Name extends PageName>(
    { locale, helpers, origin = "" }: Reader,
    data: PageData[Name],
  ): PageContents<Name> {
    const frame: PageFrame = { ...frameAt(origin), locale, words: wordsIn(locale) };
    return { ...frame, ...helpers, ...data };
  }

  for (const [name, states] of Object.entries(samples)) {
    for (const state of states) {
      templates.render(`@${name}`, contents({ locale: "en", helpers: state }, state));
    }
  }
  const rendered = new Map<string, string>();
  return {
    render(name, reader, data) {
      const state = stateOf(reader, data);
      const key = `${name} ${state}`;
      const known = state === undefined ? undefined : rendered.get(key);
      if (known !== undefined) return known;
      const page = contents<typeof name>(reader, data);
      const own = functions[name];
      const html: unknown = own === undefined ? templates.render(`@${name}`, page) : own(page);
      // Plain JavaScript can return anything, such as the promise of an async function.
      if (typeof html !== "string")
        throw new Fault("page_broken", `pages.functions.${name} did not return text`);
      if (own === undefined && state !== undefined) rendered.set(key, html);
      return html;
    },
  };
}

/**
 * The state of a page whose values are all true, false or absent, such as the sign-in page of a
 * stranger. It has so few that each is rendered once. `undefined` for other pages.
 */
function stateOf({ locale, helpers, origin }: Reader, data: object): string | undefined {
  if (helpers.CurrentUser !== undefined || origin !== undefined) return undefined;
  let state = `${locale} ${helpers.NeedsSetup} ${helpers.HasError}`;
  for (const value of Object.values(data)) {
    if (value !== undefined && typeof value !== "boolean") return undefined;
    state += ` ${value}`;
  }
  return state;
}
