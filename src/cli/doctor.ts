import { type Checked, examine, told } from "../doctor/check.ts";
import { checks } from "../doctor/checks.ts";
import { worst } from "../doctor/finding.ts";
import { openInstallation } from "../doctor/installation.ts";
import { examineSettings } from "../doctor/settings.ts";
import { printable, printableJson } from "../gate/printable.ts";
import { type Command, type OptionValues, UsageError } from "./command.ts";
import { paletteOf, reportOf } from "./doctor-report.ts";
import { FAILURE, SUCCESS } from "./terminal.ts";

/** Every check has a shorter limit of its own; this one stops a check that hangs. */
const EACH_WITHIN_MS = 12_000;

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
    ...["HOST", "PORT", "ALLOWED_HOSTS", "DATA_DIR", "DATABASE_URL", "DATABASE_URL_FILE"],
    ...["AUTH_SECRET", "AUTH_SECRET_FILE", "AUTH_SECRET_PREVIOUS", "AUTH_SECRET_PREVIOUS_FILE"],
    ...["SETUP_TOKEN_FILE", "TRUSTED_PROXIES", "PUBLIC_URL", "COOKIE_DOMAIN"],
    ...["HTTPS_PORT", "TLS_CERT_FILE", "TLS_KEY_FILE"],
  ],
  examples: ["latchkey doctor --env-file latchkey.env --url https://auth.example.org"],

  async examine(reading, options, terminal) {
    const url = urlIn(options);
    const { findings, left } = examineSettings(reading, checks);
    const { settings, secretFiles } = reading;
    const installation = openInstallation({ settings, secretFiles, url, now: () => Date.now() });
    const checked: readonly Checked[] = [
      ...told("settings", findings),
      ...(await examine(left, installation, EACH_WITHIN_MS)),
    ];
    const outcome = worst(checked.map((one) => one.outcome));
    if (options.json === true) terminal.print(printableJson({ outcome, checks: checked }));
    else {
      const lines = reportOf(checked, url === undefined ? "without-url" : "with-url");
      const paint = paletteOf(terminal.ports.stdout);
      await terminal.printAll(lines.map(({ colour, text }) => paint(colour, printable(text))));
    }
    return outcome === "problem" ? FAILURE : SUCCESS;
  },
};

function urlIn({ url }: OptionValues): URL | undefined {
  if (url === undefined) return undefined;
  const text = String(url);
  const parsed = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (parsed === undefined || parsed.href !== `${parsed.origin}/`) {
    throw new UsageError("--url takes an origin such as https://auth.example.org, without a path");
  }
  return parsed;
}
