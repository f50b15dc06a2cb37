import type { ClaimUse, Entry, HeadersWay, OidcWay, Recipe, Way } from "./recipe.ts";

const INDENT = "  ";

/**
 * Formats what to enter in the app for one of the ways of a recipe that is filled in, and what else
 * there is to know. Commands print the lines, and the documentation has them.
 */
export function formatInstructions(
  { name, publicPaths = [], phone, notes = [], unconfirmed, sources }: Recipe,
  way: Way,
): readonly string[] {
  const advice = [
    ...formatWay(name, way),
    ...publicPaths.map(({ path, why }) => `The proxy may leave ${path} open: ${why}`),
    ...(phone === undefined ? [] : [phone]),
    ...notes,
    ...(unconfirmed === undefined ? [] : [`Unconfirmed: ${unconfirmed}`]),
    ...sources.map(({ url, version }) => `Source (${version}): ${url}`),
  ];
  return [...way.enter.flatMap((entry) => [...formatEntry(entry), ""]), ...advice];
}

/** Formats one place and what to enter there. Values stand alone, so that they can be copied. */
export function formatEntry(entry: Entry): readonly string[] {
  if ("environment" in entry) {
    const lines = Object.entries(entry.environment).map(([name, value]) => `${name}=${value}`);
    return ["In the environment of the app:", ...indent(lines)];
  }
  if ("file" in entry) return [`In the file ${entry.file}:`, ...indent(entry.lines)];
  if ("page" in entry) {
    const width = Math.max(...Object.keys(entry.fields).map((label) => label.length)) + 2;
    const lines = Object.entries(entry.fields).map(([label, value]) =>
      `${`${label}:`.padEnd(width)}${value}`.trimEnd(),
    );
    return [`On the page ${entry.page}:`, ...indent(lines)];
  }
  if ("command" in entry) return ["Run where the app runs:", ...indent(entry.command)];
  return [entry.step];
}

const indent = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => `${INDENT}${line}`.trimEnd());

function formatWay(name: string, way: Way): readonly string[] {
  switch (way.way) {
    case "oidc":
      return formatOidc(name, way);
    case "headers":
      return formatHeaders(name, way);
    case "proxy":
      return [`${name} has no sign-in with other accounts: the proxy alone guards it.`];
  }
}

function formatOidc(name: string, { claims, groups }: OidcWay): readonly string[] {
  const required = Object.entries<ClaimUse>(claims)
    .filter(([claim, { need }]) => need === "required" && claim !== "sub")
    .map(([claim, { use }]) => `${claim} (${use})`);
  return [
    ...(required.length === 0 ? [] : [`${name} needs of each person: ${required.join(", ")}.`]),
    ...(groups === undefined ? [] : [groups]),
  ];
}

/** The proxy sends the header of the left as the one of the right. */
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
  return [
    `The proxy asks Latchkey, and ${name} reads ${Object.keys(headers).join(", ")}.`,
    ...(renamed.length === 0 ? [] : [`The proxy must also send ${renamed.join(", ")}.`]),
    trusts,
  ];
}
