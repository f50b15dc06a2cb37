/** The objects in JSON lines, as commands print them with --json. */
export const jsonLines = <T = Readonly<Record<string, unknown>>>(text: string): T[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
