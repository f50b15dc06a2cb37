import { randomBytes } from "node:crypto";
import { type Answer, redirect, respondText } from "../../http/responses.ts";
import { readCookie } from "../../http/session-cookie.ts";
import { getParameter, type WebRequest } from "../../http/web-request.ts";
import {
  type Attempt,
  type ClientSettings,
  createOpenidClient,
  type Identity,
} from "./openid-client.ts";
import { respondSampleFile, respondSamplePage, type SampleApp } from "./sample-page.ts";

/** Other programs on this machine also set cookies for `localhost`. */
const COOKIE = "latchkey-demo-visit";
/** The path of the redirect URI. */
export const CALLBACK = "/callback";
/** The oldest visits are forgotten, so that the memory does not grow. */
const MAX_VISITS = 100;

/** The app knows a browser from the question until it has shown the answer. */
type Visit =
  | { readonly kind: "asking"; readonly attempt: Attempt }
  | { readonly kind: "known"; readonly identity: Identity };

/**
 * Creates an app that signs people in with OpenID Connect. It has no sessions: each visit asks
 * Latchkey anew, so that a sign-out counts at once.
 */
export function createOpenidApp(
  app: SampleApp,
  settings: ClientSettings,
): (request: WebRequest) => Promise<Answer> {
  const client = createOpenidClient(settings);
  const visits = new Map<string, Visit>();
  const links = [{ text: "Your apps", url: `${settings.issuer}/apps` }];

  function keep(visit: Visit): string {
    const id = randomBytes(32).toString("base64url");
    visits.set(id, visit);
    const [oldest] = visits.keys();
    if (visits.size > MAX_VISITS && oldest !== undefined) visits.delete(oldest);
    return `${COOKIE}=${id}; Path=/; HttpOnly; SameSite=Lax`;
  }

  /** Takes the visit of this browser. It serves once. */
  function take(request: WebRequest): Visit | undefined {
    const id = readCookie(request.header("cookie"), COOKIE) ?? "";
    const visit = visits.get(id);
    visits.delete(id);
    return visit;
  }

  async function open(request: WebRequest): Promise<Answer> {
    const visit = take(request);
    if (visit?.kind === "known") return show(visit.identity);
    const { url, attempt } = await client.begin();
    return redirect(url, [keep({ kind: "asking", attempt })]);
  }

  async function finish(request: WebRequest): Promise<Answer> {
    const visit = take(request);
    const [state, code] = [getParameter(request, "state"), getParameter(request, "code")];
    if (visit?.kind !== "asking" || state !== visit.attempt.state) {
      return refuse("This sign-in was begun in another browser, or is over.");
    }
    if (code === undefined) return refuse(`You did not agree that ${app.name} learns who you are.`);
    const identity = await client.finish(code, visit.attempt);
    return redirect("/", [keep({ kind: "known", identity })]);
  }

  const show = ({ preferred_username: username, groups, sub }: Identity): Answer =>
    respondSamplePage(app, {
      title: `Hello, ${username}`,
      about: `${app.name} is a sample app with its own sign-in, which uses Latchkey by OpenID Connect. It has learnt:`,
      known: [
        ["preferred_username", username],
        ["groups", groups.join(", ")],
        ["sub", sub],
      ],
      links,
    });

  const refuse = (about: string): Answer => {
    const again = { text: "Try again", url: "/" };
    const page = { title: "Not signed in", about, known: [], links: [again, ...links] };
    return respondSamplePage(app, page, 403);
  };

  return async (request) => {
    const { path } = request;
    if (path === "/") return open(request);
    if (path === CALLBACK) return finish(request);
    return respondSampleFile(app, path) ?? respondText("not found", 404);
  };
}
