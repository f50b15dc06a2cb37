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
  render<Name extends PageName>(name: Name, reader: Reader, data: PageData[Name]): string;
}

export interface Reader {
  readonly locale: Locale;
  readonly helpers: PageHelpers;
  /** For a page that is shown on another host: goes before every path. */
  readonly origin?: string | undefined;
}

/** The values that are the same on every page, in every language. */
type PagePlace = Omit<PageFrame, "locale" | "words">;

/** Compiles every template and renders samples. Throws a `Fault` for a broken template. */
export function loadPages(
  read: ReadPage,
  placeAt: (origin: string) => PagePlace,
  functions: PageFunctions,
): Pages {
  const templates = new Templates(read);
  function contents<Name extends PageName>(
    { locale, helpers, origin = "" }: Reader,
    data: PageData[Name],
  ): PageContents<Name> {
    const frame: PageFrame = { ...placeAt(origin), locale, words: wordsIn(locale) };
    return { ...frame, ...helpers, ...data };
  }

  for (const [name, states] of Object.entries(samples)) {
    for (const [helpers, data] of states) {
      templates.render(`@${name}`, contents({ locale: "en", helpers }, data));
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
function stateOf({ locale, helpers, origin }: Reader, data: object): string | undefined {
  if (helpers.CurrentUser !== undefined || origin !== undefined) return undefined;
  let state = `${locale} ${helpers.NeedsSetup} ${helpers.HasError}`;
  for (const value of Object.values(data)) {
    if (value !== undefined && typeof value !== "boolean") return undefined;
    state += ` ${value}`;
  }
  return state;
}
