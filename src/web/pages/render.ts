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
  ): PageContents<Name> {
    const frame: PageFrame = { ...place, locale, words: wordsIn(locale) };
    return { ...frame, ...helpers, ...data };
  }

  for (const [name, states] of Object.entries(samples)) {
    for (const [helpers, data] of states) {
      templates.render(`@${name}`, contents("en", helpers, data));
    }
  }
  return {
    render(name, locale, helpers, data) {
      const page = contents<typeof name>(locale, helpers, data);
      return functions[name]?.(page) ?? templates.render(`@${name}`, page);
    },
  };
}
