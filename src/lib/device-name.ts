const MAX_LENGTH = 40;

/** The order matters, since most browsers also name other browsers. */
const browsers: readonly (readonly [name: string, mark: RegExp])[] = [
  ["Edge", /\bEdg(?:e|A|iOS)?\//],
  ["Opera", /\b(?:OPR|Opera|OPT)\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Vivaldi", /\bVivaldi\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:HeadlessChrome|Chrome|Chromium|CriOS)\//],
  ["Safari", /\bVersion\/.*\bSafari\//],
];

const systems: readonly (readonly [name: string, mark: RegExp])[] = [
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMacintosh\b/],
  ["Linux", /\bLinux\b/],
];

/**
 * Names the device of a `User-Agent`, such as `Firefox on Linux`. Returns an empty text if the
 * header reveals nothing. A client can claim any device, so the name only helps users recognise
 * their own sessions.
 */
export function parseDeviceName(userAgent: string | undefined): string {
  // The cut bounds the work of the patterns. Browsers send about 150 characters.
  const text = (userAgent ?? "").slice(0, 512);
  const findName = (list: typeof browsers): string | undefined =>
    list.find(([, mark]) => mark.test(text))?.[0];
  const browser = findName(browsers) ?? parseProgramName(text);
  return [browser, findName(systems)].filter((part) => part !== undefined).join(" on ");
}

/** Returns the name of a program that is not a browser, such as `curl` in `curl/8.5.0`. */
function parseProgramName(text: string): string | undefined {
  const [name] = /^[A-Za-z][\w.-]*/.exec(text) ?? [];
  return name === "Mozilla" ? undefined : name?.slice(0, MAX_LENGTH);
}
