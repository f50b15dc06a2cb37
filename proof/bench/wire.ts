import { ask } from "./load.ts";

/** The parts of a sign-in response that show success or failure. */
export interface Verdict {
  readonly status: number;
  readonly text: string;
}

export interface SignIn {
  /** Creates sign-in requests, each from its own address. */
  attempts(port: number): Promise<(username: string, password: string, from: string) => string>;
  readonly right: Verdict;
  readonly wrong: Verdict;
}

type Headers = Readonly<Record<string, string>>;

/** With a `Cookie` header, or with the credentials for nginx's own guard. */
export function get(path: string, session?: string): string {
  if (session === undefined) return message("GET", path, {}, "");
  const name = session.startsWith("Basic ") ? "Authorization" : "Cookie";
  return message("GET", path, { [name]: session }, "");
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

export function form(path: string, headers: Headers, fields: Headers): string {
  const body = new URLSearchParams(fields).toString();
  return post(path, "application/x-www-form-urlencoded", headers, body);
}

const browser = (from: string): Headers => ({
  Origin: "http://localhost",
  "X-Forwarded-For": from,
});

const plainForm: SignIn["attempts"] = async () => (username, password, from) =>
  form("/login", browser(from), { username, password });

/** Without the first letter, whose case depends on the HTTP library. */
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

/** The form has a token that must match a cookie; both can be reused for any number of attempts. */
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

/** The cookies that a response sets, as a Cookie header. */
export function cookiesIn(answer: string): string {
  const headers = answer.slice(0, answer.indexOf("\r\n\r\n"));
  return [...headers.matchAll(/^set-cookie: *([^;\r]+)/gim)].map(([, pair]) => pair).join("; ");
}
