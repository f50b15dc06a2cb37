import { FORWARD_AUTH } from "../../http/paths.ts";
import { answerWithId } from "../../http/request-id.ts";
import { type Answer, respondText, withHeader } from "../../http/responses.ts";
import type { WebRequest } from "../../http/web-request.ts";
import { andThen, type MaybePromise } from "../../lib/maybe-promise.ts";
import type { Services } from "../context.ts";
import { answerForwardAuth, KEY_ACCEPTED } from "./forward-auth-pages.ts";

/** Envoy has no rule that removes a header after a certain response. It obeys this header instead. */
const REMOVED_BY_ENVOY = "X-Envoy-Auth-Headers-To-Remove";

/**
 * Lists the headers of the client that must not reach the app. Envoy replaces a header only by one of
 * the response, so those that the response lacks are removed.
 */
const listRemoved = ({ headers }: Answer): string =>
  [
    ...["Remote-Name", "Remote-Email"].filter((name) => headers[name] === undefined),
    ...(headers[KEY_ACCEPTED] === undefined ? [] : ["Authorization"]),
  ]
    .join(", ")
    .toLowerCase();

/** The answer for a user is the same object until the user is read again. */
const completed = new WeakMap<Answer, Answer>();

function removeClientHeaders(answer: Answer): Answer {
  if (answer.status !== 200) return answer;
  const known = completed.get(answer);
  if (known !== undefined) return known;
  const removed = listRemoved(answer);
  const complete = removed === "" ? answer : withHeader(answer, REMOVED_BY_ENVOY, removed);
  completed.set(answer, complete);
  return complete;
}

/**
 * Answers a proxy that adds the client's path to the path of forward auth and uses the client's
 * method. The query belongs to the client, so no parameter is read from it.
 */
export function answerSuffixedForwardAuth(
  services: Services,
  request: WebRequest,
): MaybePromise<Answer> {
  const endpoint = `${services.paths.base}${FORWARD_AUTH}`;
  const suffix = request.path.slice(endpoint.length);
  // After an extra slash, a list or factor looks like the client's query and is ignored, which
  // would admit every user.
  if (suffix === "/" && /[?&](users|groups|factor=2|apps=only)(?![^&=])/.test(request.query)) {
    const problem = `users, groups, factor and apps are not read below ${endpoint}: remove the slash before the question mark`;
    return answerWithId(services.requests, request, () => respondText(problem, 400));
  }
  const forwarded: ReadonlyMap<string, string | undefined> = new Map([
    ["x-forwarded-method", request.method],
    ["x-forwarded-host", request.header("host")],
    ["x-forwarded-uri", `${suffix}${request.query}`],
  ]);
  const { request: original, connection, path, signal } = request;
  const header = (name: string): string | undefined =>
    forwarded.has(name) ? forwarded.get(name) : request.header(name);
  const asked = { request: original, connection, path, signal, method: "GET", query: "", header };
  return andThen(answerForwardAuth(services, { ...asked, body: [] }), removeClientHeaders);
}
