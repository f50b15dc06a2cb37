import { nearestOf, normalized } from "../../core/base/nearest.ts";

/** Short names are one letter away from too many others for a suggestion. */
const MIN_LENGTH = 7;

/** Variables for Node.js or the system, which a file of settings may contain too. */
const NOT_OURS = /^(NODE_|TZ$|PATH$|LANG$|LC_)/;

/**
 * Names that look like settings but are not: `LATCHKEY_…` is an error, a likely typo a warning. Any
 * other unknown name is a warning only in the env file, since an environment holds much else.
 */
export function unknownNames(
  known: readonly string[],
  inEnvironment: readonly string[],
  inFile: readonly string[],
): { readonly unknown: readonly string[]; readonly warnings: readonly string[] } {
  const unknown: string[] = [];
  const warnings: string[] = [];
  const names = [...inEnvironment, ...inFile];
  // A Kubernetes service named latchkey puts variables of this form into every container.
  const isLinked = names.includes("LATCHKEY_SERVICE_HOST");
  for (const name of new Set(names)) {
    if (known.includes(name) || (isLinked && /^LATCHKEY_(SERVICE|PORT)(_|$)/.test(name))) continue;
    const meant = settingLike(known, name.replace(/^LATCHKEY_/, ""));
    const text = `${name} is not a setting${meant === undefined ? "" : `. Did you mean ${meant}?`}`;
    const isLikely = meant !== undefined && name.length >= MIN_LENGTH;
    if (name.startsWith("LATCHKEY_")) unknown.push(text);
    else if (isLikely || (inFile.includes(name) && !NOT_OURS.test(name))) warnings.push(text);
  }
  return { unknown, warnings };
}

function settingLike(known: readonly string[], name: string): string | undefined {
  // `TLS_CERT` for `TLS_CERT_FILE`: the value instead of the file that contains it.
  const exact = [name, `${name}_FILE`].find((one) => known.includes(one));
  const long = known.filter((one) => one.length >= MIN_LENGTH);
  const words = normalized(name);
  return exact ?? long.find((one) => normalized(one) === words) ?? nearestOf(long, name);
}
