import type {
  PageContents,
  PageData,
  PageFrame,
  PageFunctions,
  PageHelpers,
  PageName,
} from "./page-data.ts";
import { samples } from "./page-samples.ts";
import { type ReadPage, Templates } from "./templates.ts";
import { type Locale, wordsIn } from "./words.ts";

export interface Pages {
  render<Name extends PageName>(
    name: Name,
    locale: Locale,
    helpers: PageHelpers,
    data: PageData[Name],
    /** For a page that is shown on another host: goes before every path. */
    origin?: string,
  ): string;
}

/** The values that are the same on every page, in every language. */
export type PagePlace = Omit<PageFrame, "locale" | "words">;

/** Compiles every template and renders samples. Throws a `Fault` for a broken template. */
export function loadPages(read: ReadPage, place: PagePlace, functions: PageFunctions): Pages {
  const templates = new Templates(read);
  function contents<Name extends PageName>(
    locale: Locale,
    helpers: PageHelpers,
    data: PageData[Name],
    origin?: string,
  ): PageContents<Name> {
    const at = origin === undefined ? place : placeAt(origin);
    const frame: PageFrame = { ...at, locale, words: wordsIn(locale) };
    return { ...frame, ...helpers, ...data };
  }

  function placeAt(origin: string): PagePlace {
    const { basePath, homePath, styleSheetUrl, scriptUrl, logoUrl } = place;
    return {
      ...place,
      basePath: origin + basePath,
      homePath: homePath === null ? null : origin + homePath,
      styleSheetUrl: origin + styleSheetUrl,
      scriptUrl: origin + scriptUrl,
      logoUrl: origin + logoUrl,
    };
  }

  for (const [name, states] of Object.entries(samples)) {
    for (const [helpers, data] of states) {
      templates.render(`@${name}`, contents("en", helpers, data));
    }
  }
  return {
    render(name, locale, helpers, data, origin) {
      const page = contents<typeof name>(locale, helpers, data, origin);
      return functions[name]?.(page) ?? templates.render(`@${name}`, page);
    },
  };
}
