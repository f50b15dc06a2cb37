import { ask } from "./load.ts";

/** What a contestant answers to an attempt to sign in, so far as it tells right from wrong. */
export interface Verdict {
  readonly status: number;
  readonly text: string;
}

export interface SignIn {
  /** Makes requests, each of which tries from an address of its own. */
  attempts(port: number): Promise<(username: string, password: string, from: string) => string>;
  readonly right: Verdict;
  readonly wrong: Verdict;
}

type Headers = Readonly<Record<string, string>>;

export function get(path: string, cookie?: string): string {
  return message("GET", path, cookie === undefined ? {} : { Cookie: cookie }, "");
}

function post(path: string, type: string, headers: Headers, body: string): string {
  const length = String(Buffer.byteLength(body));
  const all = { ...headers, "Content-Type": type, "Content-Length": length };
  return message("POST", path, all, body);
}

function message(method: string, path: string, headers: Headers, body: string): string {
  const lines = Object.entries({ Host: "localhost", ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

function form(path: string, headers: Headers, fields: Headers): string {
  const body = new URLSearchParams(fields).toString();
  return post(path, "application/x-www-form-urlencoded", headers, body);
}

const browser = (from: string): Headers => ({
  Origin: "http://localhost",
  "X-Forwarded-For": from,
});

const plainForm: SignIn["attempts"] = async () => (username, password, from) =>
  form("/login", browser(from), { username, password });

/** Without the first letter, which is a capital one or not with one `Response` or another. */
export const latchkeySignIn: SignIn = {
  attempts: plainForm,
  right: { status: 303, text: "ocation: /\r\n" },
  wrong: { status: 303, text: "ocation: /login?error=1\r\n" },
};

export const passportSignIn: SignIn = {
  attempts: plainForm,
  right: { status: 302, text: "\r\nLocation: /\r\n" },
  wrong: { status: 302, text: "\r\nLocation: /login\r\n" },
};

export const betterAuthSignIn: SignIn = {
  attempts: async () => (username, password, from) => {
    const body = JSON.stringify({ email: `${username}@example.org`, password });
    return post("/api/auth/sign-in/email", "application/json", browser(from), body);
  },
  right: { status: 200, text: '"token":"' },
  wrong: { status: 401, text: "INVALID_EMAIL_OR_PASSWORD" },
};

/** Its form carries a token that a cookie has to go with; both serve for any number of attempts. */
export const authJsSignIn: SignIn = {
  async attempts(port) {
    const answer = await ask(port, get("/auth/csrf"));
    const csrfToken = /"csrfToken":"([^"]+)"/.exec(answer)?.[1] ?? "";
    const cookie = cookiesIn(answer);
    return (username, password, from) =>
      form(
        "/auth/callback/credentials",
        { ...browser(from), Cookie: cookie },
        { csrfToken, username, password },
      );
  },
  right: { status: 302, text: "authjs.session-token=ey" },
  wrong: { status: 302, text: "error=CredentialsSignin" },
};

/** The cookies that an answer sets, as a browser would send them back. */
export function cookiesIn(answer: string): string {
  const headers = answer.slice(0, answer.indexOf("\r\n\r\n"));
  return [...headers.matchAll(/^set-cookie: *([^;\r]+)/gim)].map(([, pair]) => pair).join("; ");
}

/** Another client each time, or the limits on attempts would be what is measured. */
export function* addresses(): Generator<string> {
  for (let number = 1; ; number += 1) {
    yield `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
  }
}
