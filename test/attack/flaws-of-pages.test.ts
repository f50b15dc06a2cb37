import { STATUS_CODES } from "node:http";
import { sound } from "./door-parts.ts";
import { type Flaw, findsEach } from "./flaws.ts";

const without = (name: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(sound.pageHeaders).filter(([one]) => one !== name));

const policy = (change: (policy: string) => string): Readonly<Record<string, string>> => ({
  ...without("X-Frame-Options"),
  "Content-Security-Policy": change(sound.pageHeaders["Content-Security-Policy"] ?? ""),
});

/** Tells apart what the browser does not: each way a check of the way back was fooled once. */
const looseTargets: Readonly<Record<string, (target: string) => boolean>> = {
  "leads wherever it is told": () => true,
  "takes two slashes for a path": (target) => target.startsWith("/"),
  "forgets the backslash": (target) => /^\/(?!\/)/.test(target),
  "takes any scheme": (target) => /^[a-z]+:(?!\/\/)/.test(target),
  "looks for its name at the start": (target) => target.startsWith("http://127.0.0.1"),
  "looks for its name anywhere": (target) => target.includes("127.0.0.1"),
};

const flaws: readonly Flaw[] = [
  ...Object.entries(looseTargets).map(
    ([what, accepts]): Flaw => ({
      attack: "open-redirects",
      what,
      door: { returnTo: (target) => (accepts(target ?? "") ? target : sound.returnTo(target)) },
      finding: /leads to /,
    }),
  ),
  {
    attack: "open-redirects",
    what: "believes the host that somebody asks for",
    door: {
      isGuarded: () => false,
      pathOf(request) {
        const host = request.headers["x-forwarded-host"];
        if (host !== undefined) request.headers.referer = `https://${String(host)}/`;
        return sound.pathOf(request);
      },
      returnTo: (target) => target,
    },
    finding: /leads to /,
  },
  {
    attack: "header-injection",
    what: "writes the way back as it came",
    door: {
      returnTo: (target) => (target?.startsWith("/") ? target : undefined),
      redirect(response, location, cookies) {
        const lines = [`Location: ${location}`, ...cookies.map((one) => `Set-Cookie: ${one}`)];
        response.socket?.end(`HTTP/1.1 303 ${STATUS_CODES[303]}\r\n${lines.join("\r\n")}\r\n\r\n`);
      },
    },
    finding: /a sign-in's way back/,
  },
  {
    attack: "markup-injection",
    what: "prints what was asked for as it is",
    door: { escape: (text) => text, returnTo: (target) => target },
    finding: /an element of the attacker's/,
  },
  {
    attack: "markup-injection",
    what: "forgets quotes",
    door: { escape: (text) => text.replaceAll("<", "&lt;"), returnTo: (target) => target },
    finding: /an attribute that runs/,
  },
  {
    attack: "markup-injection",
    what: "prints the account's name as markup",
    door: { escape: (text) => text },
    finding: /prints the account's name as markup/,
  },
  {
    attack: "markup-injection",
    what: "computes what stands in braces",
    door: {
      escape: (text) => sound.escape(text).replaceAll("7*191", "1337"),
      returnTo: (target) => target,
    },
    finding: /a template was computed/,
  },
  {
    attack: "markup-in-setup",
    what: "prints what was typed as it is",
    door: { escape: (text) => text },
    finding: /an element of the attacker's/,
  },
  ...[
    ["Cache-Control", "no cache may keep it"],
    ["X-Content-Type-Options", "nobody may guess its type"],
    ["Referrer-Policy", "its address is not told"],
    ["Content-Security-Policy", "only scripts of its own may run"],
  ].map(
    ([name = "", rule = ""]): Flaw => ({
      attack: "page-headers",
      what: `sends no ${name}`,
      door: { pageHeaders: without(name) },
      finding: new RegExp(rule),
    }),
  ),
  {
    attack: "page-headers",
    what: "lets others frame its pages",
    door: { pageHeaders: policy((text) => text.replace("frame-ancestors 'none'", "")) },
    finding: /no other site may frame it/,
  },
  {
    attack: "page-headers",
    what: "lets scripts in the page run",
    door: { pageHeaders: policy((text) => `${text}; script-src 'unsafe-inline'`) },
    finding: /only scripts of its own may run/,
  },
  {
    attack: "page-headers",
    what: "lets any site read its pages",
    door: { pageHeaders: { ...sound.pageHeaders, "Access-Control-Allow-Origin": "*" } },
    finding: /no other site may read it/,
  },
  {
    attack: "log-forging",
    what: "writes names into its log as they are",
    door: { logged: (text) => text },
    finding: /a line that is no entry[\s\S]*one entry makes several lines/,
  },
  {
    attack: "log-forging",
    what: "lets terminal escapes into its log",
    door: { logged: (text) => text.replaceAll(/[\r\n]/g, " ") },
    finding: /a terminal would obey/,
  },
];

findsEach(flaws);
