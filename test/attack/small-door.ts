import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { Workshop } from "../../src/attack/target.ts";
import { type DoorParts, type Fields, issue, type Memory, SECRET, sound } from "./door-parts.ts";

export interface SmallDoor {
  readonly url: string;
  readonly workshop: Workshop;
  readonly memory: Memory;
}

export interface SmallDoorOptions extends Partial<DoorParts> {
  readonly setupToken?: string;
}

/**
 * As much of a Latchkey as attacks look at, written so that any part of it can be got wrong. It is
 * nobody's door: it forgets everything and hashes nothing.
 */
export async function startSmallDoor(
  t: TestContext,
  options: SmallDoorOptions = {},
): Promise<SmallDoor> {
  const parts: DoorParts = { ...sound, ...options };
  const memory: Memory = { users: [], attempts: new Map(), log: [], ended: new Set() };
  const door: Door = { parts, memory, setupToken: options.setupToken };
  const server = createServer(
    parts.server,
    (request, response) => void answer(door, request, response),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, memory, workshop: workshopOf(door) };
}

interface Door {
  readonly parts: DoorParts;
  readonly memory: Memory;
  readonly setupToken: string | undefined;
}

function workshopOf({ parts, memory, setupToken }: Door): Workshop {
  const at = new Date().toISOString();
  const lines = (make: (text: string) => string): string =>
    memory.log.map((text) => `${make(text)}\n`).join("");
  return {
    secret: SECRET,
    ...(setupToken === undefined ? {} : { setupToken }),
    readLog: async (format) =>
      lines((text) =>
        format === "json"
          ? `{"summary":${JSON.stringify(text).replace(/[\u007f-\u009f]/g, "?")}}`
          : `${at} ${parts.logged(text)}`,
      ),
    serverLog: () => "",
    endSessions: async () => parts.endSessions(memory, "all"),
  };
}

async function answer(
  door: Door,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { parts, memory } = door;
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    return;
  }
  const body = Buffer.concat(chunks);
  const path = parts.pathOf(request);
  const route = `${request.method === "POST" ? "POST" : "GET"} ${path}`;
  const user = userOf(door, request);
  if (request.method === "POST" && parts.isCrossSite(request)) return page(door, response, 403, "");
  const tooLarge = parts.tooLarge(body.length);
  if (tooLarge !== undefined) return page(door, response, tooLarge, "");
  const isForm = request.headers["content-type"] === "application/x-www-form-urlencoded";
  const fields: Fields = new Map(
    [...new URLSearchParams(isForm ? body.toString("utf8") : "")].reverse(),
  );
  const query = new URL(`http://x/?${request.url?.split("?")[1] ?? ""}`).searchParams;
  const asked = { door, request, response, fields, query };
  switch (route) {
    case "GET /login":
      return page(door, response, 200, loginForm(asked));
    case "POST /login":
      return signIn(asked);
    case "GET /setup":
      if (!parts.isSetupOpen(memory, request)) return parts.redirect(response, "/login", []);
      return page(door, response, 200, setupForm(asked));
    case "POST /setup":
      return setUp(asked);
    case "POST /logout":
      return parts.redirect(response, "/login", [parts.signOutCookie(request) ?? ""]);
    case "GET /logout": {
      const cookie = parts.signOutCookie(request);
      return page(door, response, 405, "", {
        Allow: "POST",
        ...(cookie && { "Set-Cookie": cookie }),
      });
    }
    case "POST /account/password": {
      if (user === undefined) return parts.redirect(response, "/login", []);
      if (!fields.get("new_password"))
        return page(door, response, 422, parts.escape(user.username));
      return parts.redirect(response, parts.returnTo(request.headers.referer) ?? "/", []);
    }
    case "GET /": {
      if (user === undefined && parts.isGuarded(request))
        return parts.redirect(response, "/login", []);
      return page(door, response, 200, parts.escape(user?.username ?? "what is behind the door"));
    }
    default:
      return page(door, response, 404, "");
  }
}

interface Asked {
  readonly door: Door;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly fields: Fields;
  readonly query: URLSearchParams;
}

function userOf(
  { parts, memory }: Door,
  request: IncomingMessage,
): Memory["users"][number] | undefined {
  const token = parts.tokenIn(request);
  if (token === undefined || memory.ended.has("all")) return undefined;
  const id = parts.userIdIn(token);
  return memory.users.find((one) => one.id === id);
}

function page(
  { parts }: Door,
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
  response.end(`<!doctype html><title>A small door</title>${body}`);
}

function loginForm({ door, query }: Asked): string {
  const { parts } = door;
  const target = parts.returnTo(query.get("return_to") ?? undefined);
  const carried =
    target && `<input type="hidden" name="return_to" value="${parts.escape(target)}">`;
  return `<form>${carried ?? ""}<input name="username"><input name="password"></form>`;
}

function setupForm({ door, query, fields }: Asked): string {
  const token = door.setupToken && '<input name="token">';
  const typed = door.parts.escape(`${query.get("token") ?? ""} ${fields.get("username") ?? ""}`);
  return `<form>${token ?? ""}${typed}<input name="password"><input name="confirm"></form>`;
}

async function signIn({ door, request, response, fields }: Asked): Promise<void> {
  const { parts, memory } = door;
  const user = memory.users.find(({ username }) => username === fields.get("username"));
  const address = parts.addressOf(request);
  const attempts = (memory.attempts.get(address) ?? 0) + 1;
  memory.attempts.set(address, attempts);
  const fits = attempts <= 5 && (await parts.passwordFits(user, fields.get("password") ?? ""));
  if (user === undefined || !fits) return parts.redirect(response, parts.refusedLocation(user), []);
  memory.log.push(`Signed in as ${user.username}`);
  const location = parts.returnTo(fields.get("return_to")) ?? "/";
  parts.redirect(response, location, [parts.cookieFor(issue(user.id))]);
}

async function setUp(asked: Asked): Promise<void> {
  const { door, request, response, fields } = asked;
  const { parts, memory } = door;
  if (!parts.isSetupOpen(memory, request)) return parts.redirect(response, "/login", []);
  if (!parts.setupTokenFits(door.setupToken, fields))
    return page(door, response, 403, setupForm(asked));
  const [username = "", password = ""] = [fields.get("username"), fields.get("password")];
  if (password === "" || password !== fields.get("confirm"))
    return page(door, response, 422, setupForm(asked));
  const user = { id: `user-${memory.users.length}`, username, password };
  if ((await parts.makeFirst(memory, user)) === "too-late")
    return parts.redirect(response, "/login", []);
  parts.redirect(response, "/", [parts.cookieFor(issue(user.id))]);
}
