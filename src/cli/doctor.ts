import { styleText } from "node:util";
import { type Report, runChecks } from "../doctor/check.ts";
import { checks } from "../doctor/checks.ts";
import { openInstallation } from "../doctor/installation.ts";
import { printable, printableJson } from "../files/printable.ts";
import {
  type Command,
  counted,
  FAILURE,
  type OptionValues,
  SUCCESS,
  UsageError,
} from "./command.ts";

/** Every check has a shorter limit of its own; this one stops a check that hangs. */
const CHECK_TIMEOUT_MS = 12_000;

export const command: Command = {
  details: "Prints a remedy for each problem that it finds. It changes nothing.",
  options: [
    {
      name: "url",
      value: "URL",
      about: "also check the public URL, such as https://auth.example.org",
      completes: "free",
    },
    { name: "json", about: "print one JSON object" },
  ],
  settings: [
    ...checks.flatMap(({ settings }) => settings),
    ...["AUTH_SECRET_FILE", "AUTH_SECRET_PREVIOUS_FILE", "DATABASE_URL_FILE"],
  ],
  examples: ["latchkey doctor --env-file latchkey.env --url https://auth.example.org"],

  reportsSettings: true,

  async run(settings, options, terminal, reading) {
    const url = urlIn(options);
    const { secretFiles } = reading;
    const installation = openInstallation({ settings, secretFiles, url, now: () => Date.now() });
    const reports = await runChecks(checks, reading, installation, CHECK_TIMEOUT_MS);
    const count = (outcome: Report["outcome"]): number =>
      reports.filter((report) => report.outcome === outcome).length;
    const [problems, hints] = [count("problem"), count("hint")];
    if (options.json === true) {
      const outcome = problems > 0 ? "problem" : hints > 0 ? "hint" : "ok";
      terminal.print(printableJson({ outcome, checks: reports }));
    } else {
      const width = Math.max(...reports.map(({ check }) => check.length));
      await terminal.printAll([
        ...reports.flatMap((report) => linesOf(report, width, terminal.ports.stdout)),
        summaryOf(problems, hints),
        ...(url === undefined ? ["To check the public URL too, add --url."] : []),
      ]);
    }
    return problems > 0 ? FAILURE : SUCCESS;
  },
};

function urlIn({ url }: OptionValues): URL | undefined {
  if (url === undefined) return undefined;
  const parsed = URL.parse(String(url));
  const isOrigin = parsed?.href === `${parsed?.origin}/` && /^https?:\/\//i.test(String(url));
  if (parsed !== null && isOrigin) return parsed;
  throw new UsageError("--url takes an origin such as https://auth.example.org, without a path");
}

/** Words, because some users see no colours. */
const MARKS = { ok: "ok", hint: "hint", problem: "PROBLEM" } as const;
const COLOURS = { ok: "green", hint: "yellow", problem: "red" } as const;

/** A line for the finding, with colour on a terminal unless NO_COLOR is set, and the remedy below. */
function linesOf(
  { check, found, ...report }: Report,
  width: number,
  stream: NodeJS.WritableStream,
): readonly string[] {
  const mark = MARKS[report.outcome];
  const coloured = styleText(COLOURS[report.outcome], mark, { stream });
  const line = `${coloured}${" ".repeat(8 - mark.length)}${check.padEnd(width)}  ${printable(found)}`;
  if (report.outcome === "ok") return [line];
  return [line, `${" ".repeat(width + 10)}${printable(report.remedy)}`];
}

function summaryOf(problems: number, hints: number): string {
  if (problems + hints === 0) return "No problems found.";
  const found = problems === 0 ? "No problems" : counted(problems, "problem");
  return `${found} found${hints === 0 ? "" : `, ${counted(hints, "hint")}`}.`;
}
