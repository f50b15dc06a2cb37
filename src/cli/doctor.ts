import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type Report, runChecks } from "../doctor/check.ts";
import { appChecks, checks } from "../doctor/checks.ts";
import { openInstallation } from "../doctor/installation.ts";
import type { Settings } from "../gate/settings/settings.ts";
import { toPrintableJson } from "../lib/files/printable.ts";
import {
  type Command,
  FAILURE,
  formatCount,
  type OptionValues,
  SUCCESS,
  UsageError,
} from "./command.ts";
import { formatReport } from "./report-lines.ts";

/** Stops a check that hangs. Every check has a shorter limit of its own. */
const CHECK_TIMEOUT_MS = 12_000;

export const command: Command = {
  details: "Prints a remedy for each problem that it finds. It changes nothing.",
  options: [
    {
      name: "url",
      value: "URL",
      about: "also check the public URL, such as https://auth.example.org",
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
    const url = parseUrl(options);
    const { secretFiles } = reading;
    const folder = url === undefined ? findAppFolder(settings) : undefined;
    const installation = openInstallation({
      settings: { ...settings, dataDir: folder ?? settings.dataDir },
      ...{ secretFiles, url, now: () => Date.now() },
    });
    const usedChecks = folder === undefined ? checks : appChecks;
    const found = await runChecks(usedChecks, reading, installation, CHECK_TIMEOUT_MS);
    const reports = folder === undefined ? found : found.map(rewordReport);
    const count = (outcome: Report["outcome"]): number =>
      reports.filter((report) => report.outcome === outcome).length;
    const [problems, hints] = [count("problem"), count("hint")];
    if (options.json === true) {
      const outcome = problems > 0 ? "problem" : hints > 0 ? "hint" : "ok";
      terminal.print(toPrintableJson({ outcome, checks: reports }));
    } else {
      const width = Math.max(...reports.map(({ check }) => check.length));
      await terminal.printAll([
        ...reports.flatMap((report) => formatReport(report, width, terminal.system.stdout)),
        formatSummary(problems, hints),
        ...(url === undefined && folder === undefined
          ? ["To check the public URL too, add --url."]
          : []),
      ]);
    }
    return problems > 0 ? FAILURE : SUCCESS;
  },
};

/**
 * Returns the folder of an app's database, or `undefined` for a gate. An app has no secret and no
 * DATA_DIR in which a gate has started, and its database is in another folder.
 */
function findAppFolder({ database, dataDir, secret }: Settings): string | undefined {
  const folder = database.kind === "sqlite" ? dirname(database.file) : resolve();
  const isUnset = secret === undefined && dataDir === resolve("data") && !existsSync(dataDir);
  return isUnset && folder !== dataDir ? folder : undefined;
}

function rewordReport(report: Report): Report {
  const reword = (text: string): string => text.replaceAll(/\bthe gate\b/g, "the app");
  if (report.outcome === "ok") return { ...report, found: reword(report.found) };
  return { ...report, found: reword(report.found), remedy: reword(report.remedy) };
}

function parseUrl({ url }: OptionValues): URL | undefined {
  if (url === undefined) return undefined;
  const parsed = URL.parse(String(url));
  const isOrigin = parsed?.href === `${parsed?.origin}/` && /^https?:\/\//i.test(String(url));
  if (parsed !== null && isOrigin) return parsed;
  throw new UsageError("--url takes an origin such as https://auth.example.org, without a path");
}

function formatSummary(problems: number, hints: number): string {
  if (problems + hints === 0) return "No problems found.";
  const found = problems === 0 ? "No problems" : formatCount(problems, "problem");
  return `${found} found${hints === 0 ? "" : `, ${formatCount(hints, "hint")}`}.`;
}
