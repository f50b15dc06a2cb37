import type {
  PageContents,
  PageData,
  PageFrame,
  PageFunctions,
  PageHelpers,
  PageName,
} from "./page-data.ts";
import { samples } from "./page-samples.ts";
import { type PageFiles, Templates } from "./templates.ts";
import { type Locale, locales, wordsIn } from "./words.ts";

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
export function loadPages(files: PageFiles, place: PagePlace, functions: PageFunctions): Pages {
  const templates = new Templates(files);
  const frames = new Map(
    locales.map((locale) => [locale, Object.freeze({ ...place, locale, words: wordsIn(locale) })]),
  );
  const contents = <Name extends PageName>(
    locale: Locale,
    helpers: PageHelpers,
    data: PageData[Name],
  ): PageContents<Name> => ({ ...(frames.get(locale) as PageFrame), ...helpers, ...data });

  for (const { name, helpers, data } of samples) {
    templates.render(`@${name}`, contents("en", helpers, data));
  }
  return {
    render(name, locale, helpers, data) {
      const page = contents<typeof name>(locale, helpers, data);
      return functions[name]?.(page) ?? templates.render(`@${name}`, page);
    },
  };
}
