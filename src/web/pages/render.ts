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
type PagePlace = Omit<PageFrame, "locale" | "words">;

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
  const rendered = new Map<string, string>();
  return {
    render(name, locale, helpers, data, origin) {
      const state = origin === undefined ? stateOf(helpers, data) : undefined;
      const key = `${name} ${locale} ${state}`;
      const known = state === undefined ? undefined : rendered.get(key);
      if (known !== undefined) return known;
      const page = contents<typeof name>(locale, helpers, data, origin);
      const made = functions[name]?.(page);
      if (made !== undefined) return made;
      const html = templates.render(`@${name}`, page);
      if (state !== undefined) rendered.set(key, html);
      return html;
    },
  };
}

/**
 * The state of a page whose values are all true, false or absent, such as the sign-in page of a
 * stranger. It has so few that each is rendered once. `undefined` for other pages.
 */
function stateOf(helpers: PageHelpers, data: object): string | undefined {
  if (helpers.CurrentUser !== undefined) return undefined;
  let state = `${helpers.NeedsSetup} ${helpers.HasError}`;
  for (const value of Object.values(data)) {
    if (value !== undefined && typeof value !== "boolean") return undefined;
    state += ` ${value}`;
  }
  return state;
}
