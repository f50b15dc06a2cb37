import type { IncomingMessage, ServerResponse } from "node:http";
import type { TestContext } from "node:test";
import type { MadeCertificate } from "../../../test/support/certificates.ts";
import type { ServerAccess } from "../src/target.ts";
import {
  assertionAbout,
  type Behaviour,
  correct,
  decoded,
  type Fields,
  jtiIn,
  type Memory,
  PROXY,
  SECRET,
} from "./sample-behaviour.ts";
import { answerCodes, codesOf } from "./sample-codes.ts";
import { answerHandoff, HANDOFF_HOSTS } from "./sample-handoffs.ts";
import { listen } from "./sample-listener.ts";
import { answerPeople, isPeoplePath, PUBLIC_URL, useSampleLink } from "./sample-people.ts";
import { holderOf, isRemembered, issueToken, keyHolderOf } from "./sample-tokens.ts";

export interface SampleServer {
  readonly url: string;
  readonly access: ServerAccess;
  readonly memory: Memory;
}

export interface SampleServerOptions extends Partial<Behaviour> {
  readonly setupToken?: string;
  /** For localhost. With it, the server serves HTTPS over HTTP/1.1 and HTTP/2. */
  readonly certificate?: MadeCertificate;
}

/**
 * A minimal sign-in service with the endpoints that attacks use. Every part of its behaviour can be
 * replaced with a flawed one. It stores passwords in plain text and forgets everything at the end.
 */
export async function startSampleServer(
  t: TestContext,
  options: SampleServerOptions = {},
): Promise<SampleServer> {
  const parts: Behaviour = { ...correct, ...options };
  const memory: Memory = {
    users: [],
    attempts: new Map(),
    log: [],
    sessions: new Map(),
    ended: new Set(),
    codes: new Map(),
    handoffs: new Map(),
    links: new Map(),
    issued: new Map(),
    lines: [],
  };
  const sample: Sample = { parts, memory, setupToken: options.setupToken };
  const url = await listen(
    t,
    parts.server,
    options.certificate,
    (request: IncomingMessage, response: ServerResponse) => {
      answer(sample, request, response).catch(() => response.writeHead(500).end());
    },
  );
  return { url, memory, access: workshopOf(sample) };
}

interface Sample {
  readonly parts: Behaviour;
  readonly memory: Memory;
  readonly setupToken: string | undefined;
}

function workshopOf({ parts, memory, setupToken }: Sample): ServerAccess {
  const at = new Date().toISOString();
  const lines = (make: (text: string) => string): string =>
    memory.log.map((text) => `${make(text)}\n`).join("");
  return {
    secret: SECRET,
    proxy: PROXY,
    publicUrl: PUBLIC_URL,
    ...(setupToken === undefined ? {} : { setupToken }),
    readLog: async (format) =>
      lines((text) =>
        format === "json"
          ? `{"summary":${JSON.stringify(text).replace(/[\u007f-\u009f]/g, "?")}}`
          : `${at} ${parts.logged(text)}`,
      ),
    handoffHosts: HANDOFF_HOSTS,
    serverLog: () => memory.lines.join("\n"),
    async addUser(username, password) {
      memory.users.push({ id: `user-${memory.users.length}`, username, password });
    },
    endSessions: async () => parts.endSessions(memory, "all"),
  };
}

async function answer(
  sample: Sample,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { parts, memory } = sample;
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    return;
  }
  const body = Buffer.concat(chunks);
  const path = parts.pathOf(request);
  const route = `${request.method === "POST" ? "POST" : "GET"} ${path}`;
  const user = userOf(sample, request);
  if (request.method === "POST" && parts.isCrossSite(request))
    return page(sample, response, 403, "");
  const tooLarge = parts.tooLarge(body.length);
  if (tooLarge !== undefined) return page(sample, response, tooLarge, "");
  const isForm = request.headers["content-type"] === "application/x-www-form-urlencoded";
  const fields: Fields = new Map(
    [...new URLSearchParams(isForm ? body.toString("utf8") : "")].reverse(),
  );
  const query = new URL(`http://x/?${request.url?.split("?")[1] ?? ""}`).searchParams;
  const context = { sample, request, response, fields, query };
  if (path === "/setup" && parts.isSetupOpen(memory, request) && !parts.isOwnHost(request))
    return page(sample, response, 421, "");
  if (isPeoplePath(path)) {
    const issuedAt = Number(decoded((parts.tokenIn(request) ?? "").split(".")[1]).iat);
    const [status, text] = answerPeople({ parts, memory, request, path, user, issuedAt, fields });
    if (status === 303) return parts.redirect(response, text, []);
    return page(sample, response, status, text);
  }
  if (path.startsWith("/link/")) return openLink(context, path.slice("/link/".length));
  switch (route) {
    case "GET /login":
      return page(sample, response, 200, loginForm(context));
    case "POST /login":
      return signIn(context);
    case "GET /setup":
      if (!parts.isSetupOpen(memory, request)) return parts.redirect(response, "/login", []);
      return page(sample, response, 200, setupForm(context));
    case "POST /setup":
      return setUp(context);
    case "POST /logout":
      parts.signOut(memory, parts.tokenIn(request) ?? "");
      return parts.redirect(response, "/login", [parts.signOutCookie(request) ?? ""]);
    case "GET /logout": {
      const cookie = parts.signOutCookie(request);
      return page(sample, response, 405, "", {
        Allow: "POST",
        ...(cookie && { "Set-Cookie": cookie }),
      });
    }
    case "POST /account/password": {
      if (user === undefined) return parts.redirect(response, "/login", []);
      if (!fields.get("new_password"))
        return page(sample, response, 422, parts.escape(user.username));
      return parts.redirect(response, parts.returnTo(request.headers.referer) ?? "/", []);
    }
    case "POST /account/sessions/end": {
      if (user === undefined) return parts.redirect(response, "/login", []);
      const session = fields.get("session") ?? "";
      parts.endSession(memory, user, session);
      if (session !== "others") return parts.redirect(response, "/", []);
      const token = startSession(sample, request, user.id);
      return parts.redirect(response, "/", [parts.cookieFor(token)]);
    }
    case "POST /account/codes/begin":
    case "POST /account/codes/confirm":
    case "POST /account/codes/off": {
      if (user === undefined) return parts.redirect(response, "/login", []);
      return page(sample, response, ...answerCodes(codesOf(memory, user), path, fields, parts));
    }
    case "POST /account/keys/add": {
      if (user === undefined) return parts.redirect(response, "/login", []);
      return page(sample, response, 200, issueToken(memory, "key", user.id));
    }
    case "GET /login/handoff": {
      const answered = answerHandoff(parts, memory, request, user?.id);
      response.writeHead(answered.location === undefined ? 404 : 303, {
        ...parts.pageHeaders,
        ...parts.handoffHeaders,
        ...(answered.location !== undefined && { Location: answered.location }),
        "Set-Cookie": [...answered.cookies],
      });
      response.end();
      return;
    }
    case "GET /forward-auth": {
      const bound = parts.hostOfBound(parts.tokenIn(request) ?? "");
      const isThere = bound !== undefined && parts.isBoundTo(bound, request.headers.host ?? "");
      const known = user ?? keyHolderOf(parts, memory, request);
      const isOpen = known !== undefined || isThere || !parts.isGuarded(request);
      const assertion = known && { "Latchkey-Assertion": assertionAbout(known.id) };
      return page(sample, response, isOpen ? 200 : 401, "", assertion);
    }
    case "GET /echo": {
      if (user === undefined) return parts.redirect(response, "/login", []);
      response.end(JSON.stringify(parts.passedOn(request, user)));
      return;
    }
    case "GET /": {
      if (user === undefined && parts.isGuarded(request))
        return parts.redirect(response, "/login", []);
      return page(sample, response, 200, parts.escape(user?.username ?? "a protected page"));
    }
    default:
      return page(sample, response, 404, "");
  }
}

interface Context {
  readonly sample: Sample;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly fields: Fields;
  readonly query: URLSearchParams;
}

function userOf(
  { parts, memory }: Sample,
  request: IncomingMessage,
): Memory["users"][number] | undefined {
  const token = parts.tokenIn(request);
  if (token === undefined || memory.ended.has("all")) return undefined;
  if (memory.ended.has(jtiIn(token))) return undefined;
  const id = parts.userIdIn(token) ?? holderOf(parts, memory, token, "session");
  if (id !== undefined && memory.ended.has(id) && !memory.sessions.has(jtiIn(token)))
    return undefined;
  return memory.users.find((one) => one.id === id);
}

function page(
  { parts }: Sample,
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    ...parts.pageHeaders,
    "Content-Type": "text/html; charset=utf-8",
    ...headers,
  });
  response.end(`<!doctype html><title>Sample server</title>${body}`);
}

function loginForm({ sample, query }: Context): string {
  const { parts } = sample;
  const target = parts.returnTo(query.get("return_to") ?? undefined);
  const carried =
    target && `<input type="hidden" name="return_to" value="${parts.escape(target)}">`;
  return `<form>${carried ?? ""}<input name="username"><input name="password"></form>`;
}

function setupForm({ sample, query, fields }: Context): string {
  const token = sample.setupToken && '<input name="token">';
  const typed = sample.parts.escape(`${query.get("token") ?? ""} ${fields.get("username") ?? ""}`);
  return `<form>${token ?? ""}${typed}<input name="password"><input name="confirm"></form>`;
}

async function signIn({ sample, request, response, fields }: Context): Promise<void> {
  const { parts, memory } = sample;
  const user = memory.users.find(({ username }) => username === fields.get("username"));
  const address = parts.addressOf(request);
  const attempts = (memory.attempts.get(address) ?? 0) + 1;
  if (parts.isCounted(request)) memory.attempts.set(address, attempts);
  const fits = attempts <= 5 && (await parts.passwordFits(user, fields.get("password") ?? ""));
  if (user === undefined || !fits) return parts.redirect(response, parts.refusedLocation(user), []);
  const codes = codesOf(memory, user);
  const isAsked = codes.isOn && !isRemembered(parts, memory, request, user);
  if (isAsked && !parts.codeFits(codes, fields.get("code") ?? ""))
    return parts.redirect(response, parts.refusedLocation(user), []);
  memory.log.push(`Signed in as ${user.username}`);
  const location = parts.returnTo(fields.get("return_to")) ?? "/";
  const device = fields.get("remember_device") && issueToken(memory, "device", user.id);
  parts.redirect(response, location, [
    parts.cookieFor(startSession(sample, request, user.id)),
    ...(device ? [`latchkey-device=${device}; Path=/login; HttpOnly`] : []),
  ]);
}

function startSession({ parts, memory }: Sample, request: IncomingMessage, userId: string): string {
  const token = parts.tokenFor(userId, request);
  memory.sessions.set(jtiIn(token), userId);
  return token;
}

async function openLink(
  { sample, request, response, fields }: Context,
  token: string,
): Promise<void> {
  const { parts, memory } = sample;
  const isOpen = holderOf(parts, memory, token, "link") !== undefined;
  if (request.method !== "POST") return page(sample, response, isOpen ? 200 : 404, "");
  const user = useSampleLink(memory, token, fields);
  if (user === undefined) return page(sample, response, isOpen ? 422 : 404, "");
  parts.redirect(response, "/", [parts.cookieFor(startSession(sample, request, user.id))]);
}

async function setUp(context: Context): Promise<void> {
  const { sample, request, response, fields } = context;
  const { parts, memory } = sample;
  if (!parts.isSetupOpen(memory, request)) return parts.redirect(response, "/login", []);
  if (!parts.setupTokenFits(sample.setupToken, fields))
    return page(sample, response, 403, setupForm(context));
  const [username = "", password = ""] = [fields.get("username"), fields.get("password")];
  if (password === "" || password !== fields.get("confirm"))
    return page(sample, response, 422, setupForm(context));
  const user = { id: `user-${memory.users.length}`, username, password, groups: ["admins"] };
  if ((await parts.insertFirst(memory, user)) === "too-late")
    return parts.redirect(response, "/login", []);
  parts.redirect(response, "/", [parts.cookieFor(startSession(sample, request, user.id))]);
}
