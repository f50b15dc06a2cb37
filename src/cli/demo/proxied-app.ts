import { FORWARD_AUTH } from "../../http/paths.ts";
import { type Answer, respondText } from "../../http/responses.ts";
import { getHost, type WebRequest } from "../../http/web-request.ts";
import type { Auth } from "../../index.ts";
import { respondSampleFile, respondSamplePage, type SampleApp } from "./sample-page.ts";

/** Lists what forward auth tells the app, in the order of the page. */
const IDENTITY = ["Remote-User", "Remote-Groups", "Remote-Name", "Remote-Email"] as const;

/**
 * Answers a request for an app behind a reverse proxy: it asks forward auth as a proxy does, and the
 * app gets the request only if the person may open the app.
 *
 * @param home is the URL of Latchkey.
 */
export async function answerProxiedApp(
  auth: Auth,
  home: string,
  app: SampleApp,
  request: WebRequest,
): Promise<Answer> {
  const verdict = await auth.adapter.answer(createQuestion(home, request));
  if (verdict.status !== 200) return verdict;
  const file = respondSampleFile(app, request.path);
  if (file !== undefined) return file;
  if (request.path !== "/") return respondText("not found", 404);
  const known = IDENTITY.flatMap((name) => {
    const value = verdict.headers[name];
    // Each character of a header stands for a byte of UTF-8.
    return value === undefined ? [] : [[name, Buffer.from(value, "latin1").toString()] as const];
  });
  const [[, username = ""] = []] = known;
  return respondSamplePage(app, {
    title: `Hello, ${decodeURIComponent(username)}`,
    about: `${app.name} is a sample app behind a reverse proxy, which asks Latchkey before each request. The app has no sign-in of its own, and gets these headers:`,
    known,
    links: [{ text: "Your apps", url: `${home}/apps` }],
  });
}

/** Creates the request with which a proxy asks. Only the proxy says what was asked for. */
function createQuestion(home: string, request: WebRequest): WebRequest {
  const { request: original, connection, signal, method, path, query } = request;
  const forwarded: ReadonlyMap<string, string | undefined> = new Map([
    ["host", new URL(home).host],
    ["x-forwarded-method", method],
    ["x-forwarded-proto", "http"],
    ["x-forwarded-host", getHost(request)],
    ["x-forwarded-uri", `${path}${query}`],
    ["x-forwarded-for", connection.remoteAddress],
  ]);
  return {
    ...{ request: original, connection, signal, method: "GET", path: FORWARD_AUTH, query: "" },
    header: (name) => (forwarded.has(name) ? forwarded.get(name) : request.header(name)),
    body: [],
  };
}
