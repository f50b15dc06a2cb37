import { AnyFault } from "../../../core/base/fault.ts";
import type { ChallengeResponder } from "../acme-challenges.ts";
import { signingRequest } from "./keys.ts";
import { AcmeProblem, problemFrom, retryAfterMs, unusable } from "./problem.ts";
import { type AcmeRequests, jsonOf, textIn } from "./requests.ts";

export interface OrderPorts {
  readonly requests: AcmeRequests;
  readonly challenges: Pick<ChallengeResponder, "publish">;
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
/** An order is for one name, and needs one authorization with a few challenges. */
const MAX_LIST_LENGTH = 20;
/** The number of polls, over some minutes, before an order or authorization counts as stuck. */
const MAX_POLLS = 60;

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
  return follow(ports, placed.url, "order", async (order, status) => {
    switch (status) {
      case "pending":
        for (const url of itemsIn(order, "authorizations")) {
          if (typeof url === "string") await authorize(ports, url);
        }
        return undefined;
      case "ready":
        await finalize(requests, textIn(order, "finalize"), placed);
        return undefined;
      case "processing":
        return undefined;
      case "valid":
        return (await requests.post(textIn(order, "certificate"), undefined)).body;
      default:
        throw problemFrom(Reflect.get(order, "error"));
    }
  });
}

/** Reads a resource until `step` has a result. Pauses while the status stays the same. */
async function follow<T>(
  { requests, pause }: OrderPorts,
  url: string,
  what: string,
  step: (resource: object, status: string) => Promise<T | undefined>,
): Promise<T> {
  let before = "";
  for (let poll = 1; poll <= MAX_POLLS; poll += 1) {
    const reply = await requests.post(url, undefined);
    const resource = jsonOf(reply);
    const status = textIn(resource, "status");
    if (status === before) await pause(Math.min(retryAfterMs(reply) ?? POLL_MS, MAX_POLL_MS));
    before = status;
    const result = await step(resource, status);
    if (result !== undefined) return result;
  }
  throw new AnyFault(
    "acme_stuck",
    `the certificate authority did not complete the ${what} in time`,
  );
}

async function finalize(
  requests: AcmeRequests,
  url: string,
  { name, keyPem }: PlacedOrder,
): Promise<void> {
  try {
    await requests.post(url, { csr: signingRequest(name, keyPem).toString("base64url") });
  } catch (error) {
    // Sent twice, because the first response was late: the next poll reads the state.
    if (!(error instanceof AcmeProblem && error.problem === "orderNotReady")) throw error;
  }
}

async function authorize(ports: OrderPorts, url: string): Promise<void> {
  const { requests, challenges } = ports;
  using published = new DisposableStack();
  let isAnswered = false;
  await follow(ports, url, "check of the name", async (authorization, status) => {
    if (status === "valid") return status;
    if (status !== "pending") throw problemFrom(failureIn(authorization));
    if (isAnswered) return undefined;
    isAnswered = true;
    const challenge = httpChallengeOf(authorization);
    const token = tokenOf(challenge);
    published.use(challenges.publish(token, `${token}.${requests.key.thumbprint}`));
    await requests.post(textIn(challenge, "url"), {});
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
  if (list.length > MAX_LIST_LENGTH)
    throw unusable(`more than ${MAX_LIST_LENGTH} entries in "${name}"`);
  return list;
}
