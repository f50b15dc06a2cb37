import { findNearest, normalizeName } from "../../lib/find-nearest.ts";

/** Shorter names get no suggestion, because they are one letter away from too many others. */
const MIN_LENGTH = 7;

/** Matches variables for Node.js or the system, which an env file may contain too. */
const NOT_OURS = /^(NODE_|TZ$|PATH$|LANG$|LC_)/;

/**
 * Finds names that look like settings but are not. `LATCHKEY_…` is an error, and a likely typo is a
 * warning. Other unknown names are a warning only in the env file, since an environment holds much
 * else.
 */
export function findUnknownNames(
  settingNames: readonly string[],
  environmentNames: readonly string[],
  fileNames: readonly string[],
): { readonly unknown: readonly string[]; readonly warnings: readonly string[] } {
  const unknown: string[] = [];
  const warnings: string[] = [];
  const names = [...environmentNames, ...fileNames];
  // A Kubernetes service named latchkey puts variables of this form into every container.
  const isLinked = names.includes("LATCHKEY_SERVICE_HOST");
  for (const name of new Set(names)) {
    if (settingNames.includes(name) || (isLinked && /^LATCHKEY_(SERVICE|PORT)(_|$)/.test(name)))
      continue;
    const suggestion = suggestSetting(settingNames, name.replace(/^LATCHKEY_/, ""));
    const text = `${name} is not a setting${suggestion === undefined ? "" : `. Did you mean ${suggestion}?`}`;
    const isLikely = suggestion !== undefined && name.length >= MIN_LENGTH;
    if (name.startsWith("LATCHKEY_")) unknown.push(text);
    else if (isLikely || (fileNames.includes(name) && !NOT_OURS.test(name))) warnings.push(text);
  }
  return { unknown, warnings };
}

function suggestSetting(settingNames: readonly string[], name: string): string | undefined {
  // `TLS_CERT` suggests `TLS_CERT_FILE`: the user has set the value instead of the file.
  const exact = [name, `${name}_FILE`].find((candidate) => settingNames.includes(candidate));
  const long = settingNames.filter((candidate) => candidate.length >= MIN_LENGTH);
  const words = normalizeName(name);
  return (
    exact ?? long.find((candidate) => normalizeName(candidate) === words) ?? findNearest(long, name)
  );
}
