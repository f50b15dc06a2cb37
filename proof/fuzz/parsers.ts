import type { Parser } from "./parser.ts";

/** Loaded one by one, since asking V8 takes longer with each function that has run. */
const loaders = [
  () => import("./parsers/tokens.ts"),
  () => import("./parsers/forms.ts"),
  () => import("./parsers/addresses.ts"),
  () => import("./parsers/browsers.ts"),
  () => import("./parsers/requests.ts"),
];

/** The parsers that strangers reach, by their names. */
export async function* loadParsers(): AsyncGenerator<readonly [name: string, Parser]> {
  for (const load of loaders) yield* Object.entries<Parser>(await load());
}
