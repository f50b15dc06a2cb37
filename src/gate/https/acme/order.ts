import { Fault } from "../../../core/fault.ts";
import type { HttpResponse } from "../http-request.ts";
import { AcmeProblem, problemFrom, retryAfterMs } from "./problem.ts";
import { type AcmeRequests, jsonOf, textIn, unusable } from "./requests.ts";
import { signingRequest } from "./signing-request.ts";

/** The gate's responses under `/.well-known/acme-challenge/`, by token. */
export interface Challenges {
  publish(token: string, answer: string): void;
  withdraw(token: string): void;
}

export interface OrderPorts {
  readonly requests: AcmeRequests;
  readonly challenges: Challenges;
  /** Resolves after `ms`, or rejects when the gate stops. */
  pause(ms: number): Promise<void>;
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
  if (url === undefined) throw unusable("no address for the order");
  return { name, url, keyPem };
}

/** Completes an order from its current state. Returns the certificate chain as PEM. */
export async function finishOrder(ports: OrderPorts, placed: PlacedOrder): Promise<string> {
  const { requests } = ports;
  let before = "";
  for (let poll = 1; poll <= MAX_POLLS; poll += 1) {
    const reply = await requests.post(placed.url, undefined);
    const order = jsonOf(reply);
    const status = textIn(order, "status");
    if (status === before) await ports.pause(pauseBefore(reply));
    before = status;
    switch (status) {
      case "pending":
        for (const url of listIn(order, "authorizations")) await authorize(ports, url);
        break;
      case "ready":
        await finalize(requests, textIn(order, "finalize"), placed);
        break;
      case "processing":
        break;
      case "valid":
        return (await requests.post(textIn(order, "certificate"), undefined)).body;
      default:
        throw problemFrom(Reflect.get(order, "error"));
    }
  }
  throw stuck("order");
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
  const authorization = jsonOf(await requests.post(url, undefined));
  if (textIn(authorization, "status") !== "pending") {
    settledOr(authorization);
    return;
  }
  const challenge = httpChallengeOf(authorization);
  const token = tokenOf(challenge);
  challenges.publish(token, `${token}.${requests.key.thumbprint}`);
  try {
    await requests.post(textIn(challenge, "url"), {});
    await waitUntilAuthorized(ports, url);
  } finally {
    challenges.withdraw(token);
  }
}

async function waitUntilAuthorized({ requests, pause }: OrderPorts, url: string): Promise<void> {
  for (let poll = 1; poll <= MAX_POLLS; poll += 1) {
    const reply = await requests.post(url, undefined);
    if (settledOr(jsonOf(reply)) === "settled") return;
    await pause(pauseBefore(reply));
  }
  throw stuck("check of the name");
}

function settledOr(authorization: object): "settled" | "pending" {
  switch (textIn(authorization, "status")) {
    case "valid":
      return "settled";
    case "pending":
      return "pending";
    default:
      throw problemFrom(failureIn(authorization));
  }
}

/** The authority puts the reason for a failed authorization into the challenge that failed. */
function failureIn(authorization: object): unknown {
  const failed = objectsIn(authorization, "challenges").find(
    (challenge) => Reflect.get(challenge, "error") !== undefined,
  );
  return failed === undefined ? undefined : Reflect.get(failed, "error");
}

function httpChallengeOf(authorization: object): object {
  const offered = objectsIn(authorization, "challenges");
  const found = offered.find((challenge) => Reflect.get(challenge, "type") === "http-01");
  if (found === undefined) {
    throw new Fault("acme_no_http", "the certificate authority does not check names over HTTP");
  }
  return found;
}

/** Validates the token, because it becomes part of a path and of a response. */
function tokenOf(challenge: object): string {
  const token = textIn(challenge, "token");
  if (!/^[\w-]{1,128}$/.test(token)) throw unusable("a token that is none");
  return token;
}

const pauseBefore = (reply: HttpResponse): number =>
  Math.min(retryAfterMs(reply) ?? POLL_MS, MAX_POLL_MS);

const stuck = (what: string): Fault =>
  new Fault("acme_stuck", `the certificate authority does not come to an end with the ${what}`);

const objectsIn = (value: object, name: string): readonly object[] =>
  itemsIn(value, name).filter((one) => typeof one === "object" && one !== null);

const listIn = (value: object, name: string): readonly string[] =>
  itemsIn(value, name).filter((one) => typeof one === "string");

function itemsIn(value: object, name: string): readonly unknown[] {
  const list: unknown = Reflect.get(value, name);
  if (!Array.isArray(list)) throw unusable(`nothing under ${name}`);
  if (list.length > MAX_LIST_LENGTH) throw unusable(`too much under ${name}`);
  return list;
}
