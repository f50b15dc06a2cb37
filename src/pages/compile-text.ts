/** Contains a form of a text for each plural category of its language. */
export type PluralForms = { readonly [Category in Intl.LDMLPluralRule]?: string } & {
  readonly other: string;
};

export type FillText = (...values: readonly string[]) => string;

const PLACEHOLDER = /\{(\w+)\}/;

/** Returns a function that puts a value in place of each `{placeholder}` of a text. */
export function compileText(text: string, placeholders: readonly string[]): FillText {
  // Every second piece is the name of a placeholder.
  const pieces = text
    .split(PLACEHOLDER)
    .map((piece, at) => (at % 2 === 0 ? piece : placeholders.indexOf(piece)));
  return (...values) => {
    let filled = "";
    for (const piece of pieces) filled += typeof piece === "string" ? piece : values[piece];
    return filled;
  };
}

const FIRST_STRONG_ISOLATE = "\u2068";
const POP_ISOLATE = "\u2069";

/**
 * Like `compileText`, for a language from right to left: each value has a direction of its own, so
 * that a Latin name or address does not change the order of the words and marks around it.
 */
export function compileIsolating(text: string, placeholders: readonly string[]): FillText {
  const fill = compileText(text, placeholders);
  return (...values) => fill(...values.map(isolate));
}

/**
 * Gives a text a direction of its own. One that begins with an isolate, such as a list of names,
 * keeps the order of its parts.
 */
export const isolate = (value: string): string =>
  value.startsWith(FIRST_STRONG_ISOLATE) ? value : `${FIRST_STRONG_ISOLATE}${value}${POP_ISOLATE}`;

/**
 * Returns a function that fills in a text with plural forms. The placeholder `{count}` selects the
 * form.
 */
export function compilePlural(
  forms: PluralForms,
  placeholders: readonly string[],
  rules: Intl.PluralRules,
): FillText {
  const other = compileText(forms.other, placeholders);
  const fills = new Map(
    Object.entries(forms).map(([category, form]) => [category, compileText(form, placeholders)]),
  );
  const at = placeholders.indexOf("count");
  // `50+` is not a number, so every language uses `other` for it.
  return (...values) => (fills.get(rules.select(Number(values[at]))) ?? other)(...values);
}
