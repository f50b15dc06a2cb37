import type { ClaimUse, Entry, HeadersWay, OidcWay, Recipe, Way } from "./recipe.ts";

const INDENT = "  ";

/**
 * Formats what to enter in the app for one of the ways of a recipe that is filled in, and what else
 * there is to know. Commands print the lines, and the documentation has them.
 */
export const formatInstructions = (recipe: Recipe, way: Way): readonly string[] => [
  ...way.enter.flatMap((entry) => [...formatEntry(entry), ""]),
  ...listAdvice(recipe, way),
  ...recipe.sources.map(({ url, version }) => `Source (${version}): ${url}`),
];

/** Lists what else there is to know, in sentences. */
export const listAdvice = (
  { name, publicPaths = [], phone, notes = [], unconfirmed }: Recipe,
  way: Way,
): readonly string[] => [
  ...formatWay(name, way),
  ...publicPaths.map(({ path, why }) => `The proxy may leave ${path} open: ${why}`),
  ...(phone === undefined ? [] : [phone]),
  ...notes,
  ...(unconfirmed === undefined ? [] : [`Unconfirmed: ${unconfirmed}`]),
];

/** Says where to enter something. A step is a sentence of its own. */
export function formatPlace(entry: Entry): string {
  if ("environment" in entry) return "In the environment of the app:";
  if ("file" in entry) return `In the file ${entry.file}:`;
  if ("page" in entry) return `On the page ${entry.page}:`;
  return "command" in entry ? "Run where the app runs:" : entry.step;
}

/** Lists the lines to enter as they are. The fields of a page have labels instead. */
export function listLines(entry: Entry): readonly string[] {
  if ("environment" in entry)
    return Object.entries(entry.environment).map(([name, value]) => `${name}=${value}`);
  if ("file" in entry) return entry.lines;
  return "command" in entry ? entry.command : [];
}

/** Formats one place and what to enter there. Values stand alone, so that they can be copied. */
function formatEntry(entry: Entry): readonly string[] {
  const lines = "page" in entry ? alignFields(entry.fields) : listLines(entry);
  return [formatPlace(entry), ...lines.map((line) => `${INDENT}${line}`.trimEnd())];
}

function alignFields(fields: Readonly<Record<string, string>>): readonly string[] {
  const width = Math.max(...Object.keys(fields).map((label) => label.length)) + 2;
  return Object.entries(fields).map(([label, value]) => `${`${label}:`.padEnd(width)}${value}`);
}

function formatWay(name: string, way: Way): readonly string[] {
  switch (way.way) {
    case "oidc":
      return formatOidc(name, way);
    case "headers":
      return formatHeaders(name, way);
    case "proxy":
      return [`The proxy alone guards ${name}, which does not learn who is signed in.`];
  }
}

const SET_EMAIL = "latchkey user set NAME --email ADDRESS --email-verified";

function formatOidc(name: string, { claims, groups }: OidcWay): readonly string[] {
  const required = Object.entries<ClaimUse>(claims)
    .filter(([claim, { need }]) => need === "required" && claim !== "sub")
    .map(([claim, { use }]) => `${claim} (${use})`);
  const needsEmail = claims.email?.need === "required";
  return [
    ...(required.length === 0 ? [] : [`${name} needs of each person: ${required.join(", ")}.`]),
    ...(needsEmail ? [`Set the address with: ${SET_EMAIL}`] : []),
    ...(groups === undefined ? [] : [groups]),
  ];
}

/** Names the header in which a proxy sends each value. */
const SENT = {
  username: "Remote-User",
  groups: "Remote-Groups",
  name: "Remote-Name",
  email: "Remote-Email",
} as const;

function formatHeaders(name: string, { headers, trusts }: HeadersWay): readonly string[] {
  const renamed = Object.entries(headers)
    .filter(([header, value]) => header.toLowerCase() !== SENT[value].toLowerCase())
    .map(([header, value]) => `${header} with the value of ${SENT[value]}`);
  const readsEmail = Object.values(headers).includes("email");
  return [
    `The proxy asks Latchkey, and ${name} reads ${Object.keys(headers).join(", ")}.`,
    ...(renamed.length === 0 ? [] : [`The proxy must also send ${renamed.join(", ")}.`]),
    ...(readsEmail ? [`Remote-Email is sent only if the address is verified: ${SET_EMAIL}`] : []),
    trusts,
  ];
}
