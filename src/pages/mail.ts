import { createAccent, DEFAULT_ACCENT } from "./accent-color.ts";
import { renderTemplate } from "./templates.ts";
import { getWords, type Locale } from "./words.ts";

/** Contains what the template of all messages shows. */
export interface MailPage {
  readonly locale: Locale;
  readonly site: {
    readonly appName: string;
    readonly url: string;
    readonly accentColor?: string | undefined;
  };
  /** The title is also the subject. */
  readonly title: string;
  /** Each paragraph is HTML. */
  readonly about: readonly string[];
  readonly facts: readonly { readonly name: string; readonly value: string }[];
  readonly button:
    | { readonly text: string; readonly url: string; readonly means: "go-on" | "alarm" }
    | undefined;
  readonly notes: readonly string[];
}

/** Renders a message as HTML that mail programs can show, also in a dark scheme. */
export function renderMail(page: MailPage): string {
  const { direction } = getWords(page.locale);
  const accent = createAccent(page.site.accentColor ?? DEFAULT_ACCENT);
  return renderTemplate("mail", { ...page, direction, accent });
}
