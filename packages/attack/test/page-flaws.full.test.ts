import { STATUS_CODES } from "node:http";
import { type Flaw, testFlaws } from "./flaws.ts";
import { correct } from "./sample-behaviour.ts";

const without = (name: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(correct.pageHeaders).filter(([one]) => one !== name));

const policy = (change: (policy: string) => string): Readonly<Record<string, string>> => ({
  ...without("X-Frame-Options"),
  "Content-Security-Policy": change(correct.pageHeaders["Content-Security-Policy"] ?? ""),
});

/** Weak checks of the return target, each bypassed before in other software. */
const looseTargets: Readonly<Record<string, (target: string) => boolean>> = {
  "accepts any target": () => true,
  "accepts two leading slashes": (target) => target.startsWith("/"),
  "accepts a backslash": (target) => /^\/(?!\/)/.test(target),
  "accepts any scheme": (target) => /^[a-z]+:(?!\/\/)/.test(target),
  "accepts targets that start with its host": (target) => target.startsWith("http://127.0.0.1"),
  "accepts targets that contain its host": (target) => target.includes("127.0.0.1"),
  "accepts user info before its host": (target) =>
    /^https?:/.test(target) && URL.canParse(target) && new URL(target).hostname === "127.0.0.1",
};

const flaws: readonly Flaw[] = [
  ...Object.entries(looseTargets).map(
    ([what, accepts]): Flaw => ({
      attack: "open-redirects",
      what,
      server: { returnTo: (target) => (accepts(target ?? "") ? target : correct.returnTo(target)) },
      finding: /redirects to /,
    }),
  ),
  {
    attack: "open-redirects",
    what: "redirects to the host in X-Forwarded-Host",
    server: {
      isGuarded: () => false,
      pathOf(request) {
        const host = request.headers["x-forwarded-host"];
        if (host !== undefined) request.headers.referer = `https://${String(host)}/`;
        return correct.pathOf(request);
      },
      returnTo: (target) => target,
    },
    finding: /redirects to /,
  },
  {
    attack: "header-injection",
    what: "sends the return target unescaped",
    server: {
      returnTo: (target) => (target?.startsWith("/") ? target : undefined),
      redirect(response, location, cookies) {
        const lines = [`Location: ${location}`, ...cookies.map((one) => `Set-Cookie: ${one}`)];
        response.socket?.end(`HTTP/1.1 303 ${STATUS_CODES[303]}\r\n${lines.join("\r\n")}\r\n\r\n`);
      },
    },
    finding: /the return target of a sign-in/,
  },
  {
    attack: "markup-injection",
    what: "does not escape query parameters",
    server: { escape: (text) => text, returnTo: (target) => target },
    finding: /an injected element/,
  },
  {
    attack: "markup-injection",
    what: "does not escape quotes",
    server: { escape: (text) => text.replaceAll("<", "&lt;"), returnTo: (target) => target },
    finding: /an injected event handler/,
  },
  {
    attack: "markup-injection",
    what: "does not escape the account name",
    server: { escape: (text) => text },
    finding: /shows the account name as markup/,
  },
  {
    attack: "markup-injection",
    what: "evaluates expressions in braces",
    server: {
      escape: (text) => correct.escape(text).replaceAll("99991*9973", "997210243"),
      returnTo: (target) => target,
    },
    finding: /a template was evaluated/,
  },
  {
    attack: "markup-in-setup",
    what: "does not escape form fields",
    server: { escape: (text) => text },
    finding: /an injected element/,
  },
  ...[
    ["Cache-Control", "Cache-Control must contain no-store"],
    ["X-Content-Type-Options", "X-Content-Type-Options must be nosniff"],
    ["Referrer-Policy", "its URL must not leak"],
    ["Content-Security-Policy", "only its own scripts may run"],
  ].map(
    ([name = "", rule = ""]): Flaw => ({
      attack: "page-headers",
      what: `sends no ${name}`,
      server: { pageHeaders: without(name) },
      finding: new RegExp(rule),
    }),
  ),
  {
    attack: "page-headers",
    what: "lets others frame its pages",
    server: { pageHeaders: policy((text) => text.replace("frame-ancestors 'none'", "")) },
    finding: /other sites must not frame it/,
  },
  {
    attack: "page-headers",
    what: "lets scripts in the page run",
    server: { pageHeaders: policy((text) => `${text}; script-src 'unsafe-inline'`) },
    finding: /only its own scripts may run/,
  },
  {
    attack: "page-headers",
    what: "lets forms of its pages lead to any host",
    server: { pageHeaders: policy((text) => text.replace("form-action 'self'", "form-action *")) },
    finding: /the policy must restrict form targets/,
  },
  {
    attack: "page-headers",
    what: "lets any site read its pages",
    server: { pageHeaders: { ...correct.pageHeaders, "Access-Control-Allow-Origin": "*" } },
    finding: /other sites must not read it/,
  },
  {
    attack: "log-forging",
    what: "logs usernames unescaped",
    server: { logged: (text) => text },
    finding: /not a log entry[\s\S]*one entry becomes several lines/,
  },
  {
    attack: "log-forging",
    what: "lets terminal escapes into its log",
    server: { logged: (text) => text.replaceAll(/[\r\n]/g, " ") },
    finding: /a control character in the log/,
  },
];

testFlaws(flaws);
