import { Fault } from "../../../core/base/fault.ts";
import { isObject } from "../../../core/base/json.ts";
import type { HttpChallenges } from "../challenges.ts";
import { signingRequest } from "./keys.ts";
import { AcmeProblem, retryAfterMs, unusableAnswer } from "./problem.ts";
import { type AcmeRequests, fieldIn, type JsonObject, jsonOf } from "./requests.ts";

export interface OrderPorts {
  readonly requests: AcmeRequests;
  readonly challenges: Pick<HttpChallenges, "publish">;
  /** Resolves after `ms`, or earlier when the gate stops: then the next request rejects. */
  pause(ms: number): Promise<unknown>;
}

/** An order at the authority. Its URL and its key suffice to finish it after a crash. */
export interface PlacedOrder {
  readonly name: string;
  readonly url: string;
  readonly keyPem: string;
}

const POLL_MS = 1_000;
const MAX_POLL_MS = 10_000;

export async function placeOrder(
  { requests }: OrderPorts,
  name: string,
  keyPem: string,
): Promise<PlacedOrder> {
  const reply = await requests.newOrder({ identifiers: [{ type: "dns", value: name }] });
  const url = reply.headers.location;
  if (url === undefined) throw unusableAnswer("no URL for the order");
  return { name, url, keyPem };
}

/** Completes an order from its current state. Returns the certificate chain as PEM. */
export function finishOrder(ports: OrderPorts, placed: PlacedOrder): Promise<string> {
  const { requests } = ports;
  return follow(ports, placed.url, async (order, status) => {
    switch (status) {
      case "pending":
        for (const url of listIn(order, "authorizations")) {
          if (typeof url === "string") await authorize(ports, url);
        }
        return undefined;
      case "ready":
        await requests
          .post(fieldIn(order, "finalize"), {
            csr: signingRequest(placed.name, placed.keyPem).toString("base64url"),
          })
          .catch(unlessDone("orderNotReady"));
        return undefined;
      case "processing":
        return undefined;
      case "valid":
        return (await requests.post(fieldIn(order, "certificate"), undefined)).body;
      default:
        throw new AcmeProblem(order.error);
    }
  });
}

/**
 * Reads a resource until `step` has a result. Pauses while the status stays the same. The number of
 * requests in an attempt ends one that never has a result.
 */
async function follow<T>(
  { requests, pause }: OrderPorts,
  url: string,
  step: (resource: JsonObject, status: string) => Promise<T | undefined>,
): Promise<T> {
  for (let before = ""; ; ) {
    const reply = await requests.post(url, undefined);
    const resource = jsonOf(reply);
    const status = fieldIn(resource, "status");
    if (status === before) await pause(Math.min(retryAfterMs(reply) ?? POLL_MS, MAX_POLL_MS));
    before = status;
    const result = await step(resource, status);
    if (result !== undefined) return result;
  }
}

async function authorize(ports: OrderPorts, url: string): Promise<void> {
  const { requests, challenges } = ports;
  using published = new DisposableStack();
  let isAnswered = false;
  await follow(ports, url, async (authorization, status) => {
    if (status === "valid") return status;
    const offered = listIn(authorization, "challenges").filter(isObject);
    if (status !== "pending") {
      // The authority puts the reason into the challenge that failed.
      throw new AcmeProblem(offered.find(({ error }) => error !== undefined)?.error);
    }
    if (isAnswered) return undefined;
    isAnswered = true;
    const challenge = offered.find(({ type }) => type === "http-01");
    if (challenge === undefined) throw new Fault("acme_no_http", NO_HTTP);
    const token = fieldIn(challenge, "token");
    // It becomes part of a path and of a response.
    if (!/^[\w-]{1,128}$/.test(token)) throw unusableAnswer("an invalid token");
    published.use(challenges.publish(token, `${token}.${requests.key.thumbprint}`));
    await requests.post(fieldIn(challenge, "url"), {}).catch(unlessDone("malformed"));
    return undefined;
  });
}

/**
 * Ignores the problem of a step that is done already: before a crash, or according to a server of the
 * authority that has not shown it yet. The next poll reads the state.
 */
const unlessDone =
  (problem: string) =>
  (error: unknown): void => {
    if (!(error instanceof AcmeProblem && error.problem === problem)) throw error;
  };

const NO_HTTP = "the certificate authority does not check names over HTTP";

function listIn(value: JsonObject, name: string): readonly unknown[] {
  const list = value[name];
  if (!Array.isArray(list)) throw unusableAnswer(`no list "${name}"`);
  return list;
}
