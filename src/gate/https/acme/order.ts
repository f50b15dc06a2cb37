import { AnyFault } from "../../../core/base/fault.ts";
import type { Challenges } from "../challenges.ts";
import { signingRequest } from "./keys.ts";
import { AcmeProblem, retryAfterMs, unusable } from "./problem.ts";
import { type AcmeRequests, jsonOf, textIn } from "./requests.ts";

export interface OrderPorts {
  readonly requests: AcmeRequests;
  readonly challenges: Pick<Challenges, "publish">;
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
  if (url === undefined) throw unusable("no URL for the order");
  return { name, url, keyPem };
}

/** Completes an order from its current state. Returns the certificate chain as PEM. */
export function finishOrder(ports: OrderPorts, placed: PlacedOrder): Promise<string> {
  const { requests } = ports;
  return follow(ports, placed.url, async (order, status) => {
    switch (status) {
      case "pending":
        for (const url of itemsIn(order, "authorizations")) {
          if (typeof url === "string") await authorize(ports, url);
        }
        return undefined;
      case "ready":
        await requests.post(textIn(order, "finalize"), {
          csr: signingRequest(placed.name, placed.keyPem).toString("base64url"),
        });
        return undefined;
      case "processing":
        return undefined;
      case "valid":
        return (await requests.post(textIn(order, "certificate"), undefined)).body;
      default:
        throw new AcmeProblem(Reflect.get(order, "error"));
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
  step: (resource: object, status: string) => Promise<T | undefined>,
): Promise<T> {
  for (let before = ""; ; ) {
    const reply = await requests.post(url, undefined);
    const resource = jsonOf(reply);
    const status = textIn(resource, "status");
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
    if (status !== "pending") throw new AcmeProblem(failureIn(authorization));
    if (isAnswered) return undefined;
    isAnswered = true;
    const challenge = httpChallengeOf(authorization);
    const token = tokenOf(challenge);
    published.use(challenges.publish(token, `${token}.${requests.key.thumbprint}`));
    await requests.post(textIn(challenge, "url"), {}).catch((error) => {
      // After a crash, the authority may have checked it already: the next poll reads the state.
      if (!(error instanceof AcmeProblem && error.problem === "malformed")) throw error;
    });
    return undefined;
  });
}

/** The authority puts the reason for a failed authorization into the challenge that failed. */
const failureIn = (authorization: object): unknown =>
  challengesIn(authorization)
    .map((challenge) => Reflect.get(challenge, "error"))
    .find((error) => error !== undefined);

function httpChallengeOf(authorization: object): object {
  const found = challengesIn(authorization).find(
    (challenge) => Reflect.get(challenge, "type") === "http-01",
  );
  if (found === undefined) {
    throw new AnyFault("acme_no_http", "the certificate authority does not check names over HTTP");
  }
  return found;
}

/** Validates the token, because it becomes part of a path and of a response. */
function tokenOf(challenge: object): string {
  const token = textIn(challenge, "token");
  if (!/^[\w-]{1,128}$/.test(token)) throw unusable("an invalid token");
  return token;
}

const challengesIn = (authorization: object): readonly object[] =>
  itemsIn(authorization, "challenges").filter((one) => typeof one === "object" && one !== null);

function itemsIn(value: object, name: string): readonly unknown[] {
  const list: unknown = Reflect.get(value, name);
  if (!Array.isArray(list)) throw unusable(`no list "${name}"`);
  return list;
}
