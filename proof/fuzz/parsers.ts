import type { Parser } from "./parser.ts";

/** Loaded one by one, since reading the coverage takes longer with each file that is loaded. */
const loaders = [
  () => import("./parsers/tokens.ts"),
  () => import("./parsers/forms.ts"),
  () => import("./parsers/addresses.ts"),
  () => import("./parsers/browsers.ts"),
  () => import("./parsers/links.ts"),
  () => import("./parsers/requests.ts"),
];

/** The parsers of untrusted input, by name. */
export async function* loadParsers(): AsyncGenerator<readonly [name: string, Parser]> {
  for (const load of loaders) yield* Object.entries<Parser>(await load());
}
