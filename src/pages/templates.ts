import { Eta } from "eta/core";
import { Fault } from "../lib/fault.ts";
import type {
  Navigation,
  PageContents,
  PageData,
  PageFrame,
  PageFunctions,
  PageHelpers,
  PageName,
} from "./page-data.ts";
import { listPageFiles, readPageFile } from "./page-files.ts";
import { getWords, type Locale } from "./words.ts";

const EXTENSION = ".eta";

/** Templates are compiled on first use and kept: most gates show few of the pages. */
const compiled = new Eta({ autoEscape: true });
const names = new Set<string>();

/** The templates that a template includes, and its layout. */
const USED = /\b(?:include|layout)\("@([\w-]+)"/g;

/** Compiles a template and those that it uses. */
function compileTemplate(name: string): void {
  if (names.has(name)) return;
  const text = readPageFile(`${name}${EXTENSION}`);
  compiled.loadTemplate(`@${name}`, text);
  names.add(name);
  for (const [, used = ""] of text.matchAll(USED)) compileTemplate(used);
}

/** Renders a template that is not a page. */
export function renderTemplate(name: string, data: object): string {
  compileTemplate(name);
  return compiled.render(`@${name}`, data);
}

export interface Pages {
  /** Renders a page. Rejects if a function of the app fails or does not return text. */
  render<Name extends PageName>(name: Name, reader: Reader, data: PageData[Name]): Promise<string>;
}

export interface Reader {
  readonly locale: Locale;
  readonly helpers: PageHelpers;
  readonly navigation?: Navigation | undefined;
  /** A page on another host has this origin before every path. */
  readonly origin?: string | undefined;
}

/** Contains the values that are the same on every page, in every language. */
type SiteFrame = Omit<PageFrame, "locale" | "words" | "navigation">;

/**
 * Loads the pages. Each page comes from the app's function for it, or else from Latchkey's
 * template.
 */
export function loadPages(frameAt: (origin: string) => SiteFrame, functions: PageFunctions): Pages {
  // An upgrade may replace the files while this process runs.
  for (const file of listPageFiles()) readPageFile(file);
  function contents<Name extends PageName>(
    { locale, helpers, navigation, origin = "" }: Reader,
    data: PageData[Name],
  ): PageContents<Name> {
    const frame: PageFrame = { ...frameAt(origin), locale, words: getWords(locale), navigation };
    return { ...frame, ...helpers, ...data };
  }

  const rendered = new Map<string, string>();
  return {
    async render(name, reader, data) {
      const own = functions[name];
      if (own !== undefined) {
        const html: unknown = await own(contents<typeof name>(reader, data));
        // Functions in plain JavaScript can return anything.
        if (typeof html !== "string")
          throw new Fault("page_broken", `pages.${name} did not return text`);
        return html;
      }
      const state = formatState(reader, data);
      const key = `${name} ${state}`;
      const known = state === undefined ? undefined : rendered.get(key);
      if (known !== undefined) return known;
      compileTemplate(name);
      const html = compiled.render(`@${name}`, contents<typeof name>(reader, data));
      if (state !== undefined) rendered.set(key, html);
      return html;
    },
  };
}

/**
 * Returns the state of a page whose values are all true, false, absent or empty lists, such as the
 * sign-in page of a signed-out visitor. There are few such states, so each is rendered only once.
 * Returns `undefined` for other pages.
 */
function formatState({ locale, helpers, origin }: Reader, data: object): string | undefined {
  if (helpers.CurrentUser !== undefined || origin !== undefined) return undefined;
  let state = `${locale} ${helpers.NeedsSetup} ${helpers.HasError} `;
  for (const value of Object.values(data)) {
    const letter = formatValue(value);
    if (letter === undefined) return undefined;
    state += letter;
  }
  return state;
}

/** Returns a letter for a value without content, and `undefined` for any other. */
function formatValue(value: unknown): "u" | "t" | "f" | "e" | undefined {
  if (value === undefined) return "u";
  if (typeof value === "boolean") return value ? "t" : "f";
  return Array.isArray(value) && value.length === 0 ? "e" : undefined;
}
