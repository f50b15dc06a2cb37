import { Fault } from "../../../lib/fault.ts";
import { isObject } from "../../../lib/json.ts";
import type { HttpChallenges } from "../challenges.ts";
import { createSigningRequest } from "./keys.ts";
import { AcmeProblem, createResponseFault, parseRetryAfter } from "./problem.ts";
import { type AcmeRequests, type JsonObject, parseJsonBody, readField } from "./requests.ts";

export interface OrderServices {
  readonly requests: AcmeRequests;
  readonly challenges: Pick<HttpChallenges, "publish">;
  /**
   * Resolves after `ms`, or earlier when the gate stops. After a stop, the next request rejects.
   */
  pause(ms: number): Promise<unknown>;
}

/**
 * Describes an order at the authority. The URL and the key suffice to finish the order after a
 * crash.
 */
export interface PlacedOrder {
  readonly name: string;
  readonly url: string;
  readonly keyPem: string;
}

const POLL_MS = 1_000;
const MAX_POLL_MS = 10_000;

export async function placeOrder(
  { requests }: OrderServices,
  name: string,
  keyPem: string,
): Promise<PlacedOrder> {
  const reply = await requests.postOrder({ identifiers: [{ type: "dns", value: name }] });
  const url = reply.headers.location;
  if (url === undefined) throw createResponseFault("no URL for the order");
  return { name, url, keyPem };
}

/** Completes an order from its current state. Returns the certificate chain as PEM. */
export function finishOrder(services: OrderServices, placedOrder: PlacedOrder): Promise<string> {
  const { requests } = services;
  return pollResource(services, placedOrder.url, async (order, status) => {
    switch (status) {
      case "pending":
        for (const url of readList(order, "authorizations")) {
          if (typeof url === "string") await completeAuthorization(services, url);
        }
        return undefined;
      case "ready":
        await requests
          .post(readField(order, "finalize"), {
            csr: createSigningRequest(placedOrder.name, placedOrder.keyPem).toString("base64url"),
          })
          .catch(ignoreProblem("orderNotReady"));
        return undefined;
      case "processing":
        return undefined;
      case "valid":
        return (await requests.post(readField(order, "certificate"), undefined)).body;
      default:
        throw new AcmeProblem(order.error);
    }
  });
}

/**
 * Reads a resource until `step` has a result. Pauses while the status stays the same. A resource
 * that never has a result ends the attempt, because each attempt has a limited number of requests.
 */
async function pollResource<T>(
  { requests, pause }: OrderServices,
  url: string,
  step: (resource: JsonObject, status: string) => Promise<T | undefined>,
): Promise<T> {
  for (let lastStatus = ""; ; ) {
    const reply = await requests.post(url, undefined);
    const resource = parseJsonBody(reply);
    const status = readField(resource, "status");
    if (status === lastStatus)
      await pause(Math.min(parseRetryAfter(reply) ?? POLL_MS, MAX_POLL_MS));
    lastStatus = status;
    const result = await step(resource, status);
    if (result !== undefined) return result;
  }
}

async function completeAuthorization(services: OrderServices, url: string): Promise<void> {
  const { requests, challenges } = services;
  using published = new DisposableStack();
  let isSent = false;
  await pollResource(services, url, async (authorization, status) => {
    if (status === "valid") return status;
    const offered = readList(authorization, "challenges").filter(isObject);
    if (status !== "pending") {
      // The authority puts the reason into the challenge that failed.
      throw new AcmeProblem(offered.find(({ error }) => error !== undefined)?.error);
    }
    if (isSent) return undefined;
    isSent = true;
    const challenge = offered.find(({ type }) => type === "http-01");
    if (challenge === undefined) throw new Fault("acme_no_http", NO_HTTP);
    const token = readField(challenge, "token");
    // The token becomes part of a path and of a response.
    if (!/^[\w-]{1,128}$/.test(token)) throw createResponseFault("an invalid token");
    published.use(challenges.publish(token, `${token}.${requests.key.thumbprint}`));
    await requests.post(readField(challenge, "url"), {}).catch(ignoreProblem("malformed"));
    return undefined;
  });
}

/**
 * Ignores the problem of a step that was already done, for example before a crash. A server of the
 * authority may not show the new state yet. The next poll reads the state.
 */
const ignoreProblem =
  (problem: string) =>
  (error: unknown): void => {
    if (!(error instanceof AcmeProblem && error.problem === problem)) throw error;
  };

const NO_HTTP = "the certificate authority does not check names over HTTP";

function readList(value: JsonObject, name: string): readonly unknown[] {
  const list = value[name];
  if (!Array.isArray(list)) throw createResponseFault(`no list "${name}"`);
  return list;
}
