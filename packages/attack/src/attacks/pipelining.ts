import type { Attack, Tally } from "../attack.ts";
import { Undecided } from "../errors.ts";
import { type HttpRequest, requestBytes } from "../http/request.ts";
import { type HttpResponse, parseResponses } from "../http/response.ts";
import { comparableText, ownHost, send, sendBytes, type Target } from "../target.ts";

const ROUNDS = 8;

export const pipelining: Attack = {
  name: "pipelining",
  about: "many requests on one connection, with and without a session, all sent at once",
  meaning: "One client can get the response to another client's request.",
  noun: "responses",
  verb: "were mixed up",
  needs: [],

  async run(target, tally) {
    const requests = requestsFor(target);
    const alone = await Promise.all(requests.map((request) => send(target, request)));
    for (let round = 0; round < ROUNDS; round += 1) {
      const order = requests.map((_, at) => (at * (round + 2)) % requests.length);
      const responses = await sendTogether(
        target,
        order.map((at) => requests[at] ?? { path: "/login" }),
      );
      // A server may close the connection after an error, but never reorder responses.
      for (const [position, response] of responses.entries()) {
        tally.tried();
        const expected = alone[order[position] ?? 0];
        const wanted = requests[order[position] ?? 0];
        if (expected === undefined || wanted === undefined) continue;
        if (kindOf(response) !== kindOf(expected)) {
          tally.gotThrough(
            `${wanted.method ?? "GET"} ${wanted.path} got a different response than when sent alone`,
          );
        }
      }
    }
    await hideInBody(target, tally);
  },
};

/** Eleven, a prime number, so that every step size visits all of them. */
function requestsFor({ account }: Target): readonly HttpRequest[] {
  const session = account?.token;
  return [
    { path: "/login" },
    { path: "/account/password", form: {}, session },
    { path: "/logout" },
    { path: "/account/password", form: {} },
    { path: "/", session },
    { path: "/" },
    { path: "/nowhere" },
    { path: "/account/password", form: {}, session: "nobody" },
    { path: "/login?error=1" },
    { path: "/login", method: "HEAD" },
    { path: "/setup" },
  ];
}

async function sendTogether(
  target: Target,
  requests: readonly HttpRequest[],
): Promise<readonly HttpResponse[]> {
  const bytes = requests.map((request, at) =>
    requestBytes(target.address, {
      ...request,
      path: `${target.base}${request.path}`,
      headers: { Connection: at === requests.length - 1 ? "close" : "keep-alive" },
    }),
  );
  const methods = requests.map(({ method }) => method ?? "GET");
  const exchange = await sendBytes(target, Buffer.concat(bytes), methods);
  const responses = parseResponses(exchange.bytes, methods, "closed");
  if (responses.length === 0) throw new Undecided("pipelined requests get no response");
  return responses;
}

/** Without connection headers and the times of the sign-in log, which grows meanwhile. */
function kindOf(response: HttpResponse): string {
  const own = response.headers.filter(([name]) => !/^(connection|keep-alive|date)$/i.test(name));
  const body = response.body.replace(/<time .*?<\/time>/g, "");
  return comparableText({ ...response, headers: own, body });
}

/** A body that looks like a request must stay a body. */
async function hideInBody(target: Target, tally: Tally): Promise<void> {
  const host = `Host: ${ownHost(target)}`;
  const hidden = `GET ${target.base}/login HTTP/1.1\r\n${host}\r\n\r\n`;
  for (const path of ["/logout", "/account/password", "/nowhere"]) {
    tally.tried();
    const request = `POST ${target.base}${path} HTTP/1.1\r\n${host}\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`;
    const last = `GET ${target.base}/logout HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`;
    const methods = ["POST", "GET", "GET"];
    const { bytes } = await sendBytes(target, `${request}${last}`, methods);
    const responses = parseResponses(bytes, methods, "closed");
    if (responses.length > 2) tally.gotThrough(`the body of POST ${path} was treated as a request`);
  }
}
