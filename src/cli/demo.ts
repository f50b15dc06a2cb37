import { randomBytes } from "node:crypto";
import { createAuth } from "../auth.ts";
import { ADMINS } from "../core/accounts/set-groups.ts";
import { handleOf } from "../gate/handle.ts";
import { createListener, drain, listen } from "../gate/listener.ts";
import { createServerLog } from "../gate/server-log.ts";
import { openSqlite } from "../stores/sqlite/store.ts";
import { type Answer, pageHeaders, respond, respondText } from "../web/answers/responses.ts";
import type { AdmittedRequest } from "../web/request/web-request.ts";
import { guarded } from "../web/wrapped.ts";
import { type Command, firstSignal, SUCCESS } from "./command.ts";

const USERNAME = "demo";
const DRAIN_WITHIN_MS = 1_000;

export const command: Command = {
  details:
    "Starts a sample app behind the sign-in on a free port of this machine and prints an account for it. Everything is kept in memory, so nothing is left when SIGINT (Ctrl-C) or SIGTERM stops it.",
  settings: [],
  examples: ["latchkey demo"],

  async run(_settings, _options, terminal) {
    const stopAsked = firstSignal(terminal.ports);
    await using opened = new AsyncDisposableStack();
    const store = await openSqlite({ file: ":memory:" });
    opened.defer(() => store.close());
    const auth = createAuth({
      store,
      secret: randomBytes(32).toString("base64url"),
      homePath: "/account",
      hosts: { allowed: ["localhost", "127.0.0.1"] },
      guards: { returnTo: true },
      people: true,
      log: createServerLog("warn", terminal.ports.stderr),
    });
    opened.defer(() => auth.close());
    const password = randomBytes(9).toString("base64url");
    await auth.users.add({ username: USERNAME, password, groups: [ADMINS] });
    const { owns, answer, requireAuth } = auth.adapter;
    const app = guarded(requireAuth, appPage);
    const server = createListener(
      handleOf((request) => (owns(request.path) ? answer(request) : app(request))),
    );
    const { port } = new URL(await listen(server, "127.0.0.1", 0));
    opened.defer(() => drain(server, DRAIN_WITHIN_MS));
    // Not the address: browsers have passkeys for names only.
    terminal.print(`A sample app behind Latchkey: http://localhost:${port}/\n`);
    terminal.print(`  Username  ${USERNAME}\n  Password  ${password}\n`);
    terminal.print("Everything is kept in memory. Stop it with Ctrl-C.");
    await stopAsked;
    return SUCCESS;
  },
};

const PAGE_HEADERS = pageHeaders({
  postLoginLocation: "/",
  returnDomains: [],
  hosts: { publicUrl: undefined, cookieDomain: undefined },
});

/** The only user is `USERNAME`, so nothing has to be escaped. */
function appPage({ path, user: { username } }: AdmittedRequest): Answer {
  if (path !== "/") return respondText("not found", 404);
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sample app</title>
<link rel="icon" href="/latchkey-logo">
<link rel="stylesheet" href="/latchkey.css">
</head>
<body>
<main>
<h1>Hello, ${username}</h1>
<p class="about">This page belongs to a sample app. Only signed-in users see it.</p>
<a class="button" href="/account">Your account</a>
<form method="post" action="/logout"><p class="hint">Password, passkeys, one-time codes, sessions, people</p><button type="submit" class="quiet">Sign out</button></form>
</main>
<footer>Latchkey demo</footer>
</body>
</html>
`;
  return respond(html, 200, PAGE_HEADERS);
}
