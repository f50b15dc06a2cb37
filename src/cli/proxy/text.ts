/** The parts that are not empty. */
export const joined = (parts: readonly (string | undefined)[], by: string): string =>
  parts.filter(Boolean).join(by);

/**
 * A template with backslashes as they are. A part of several lines is indented like its place, and
 * an empty part that is alone on its line removes the line.
 */
export const block = (
  { raw: [first = "", ...others] }: TemplateStringsArray,
  ...parts: readonly string[]
): string =>
  others.reduce(
    (text, next, at) => {
      const part = parts[at] ?? "";
      const margin = /(?<=\n)[ \t]*$/.exec(text)?.[0];
      if (margin === undefined) return text + part + next;
      if (part === "" && next.startsWith("\n"))
        return text.slice(0, -margin.length || undefined) + next.slice(1);
      return text + part.replace(/\n(?!\n|$)/g, `\n${margin}`) + next;
    },
    first.replace(/^\n/, ""),
  );
