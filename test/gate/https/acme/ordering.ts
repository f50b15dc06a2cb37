import type { TestContext } from "node:test";
import { createExchange } from "../../../../src/gate/https/acme/exchange.ts";
import { accountKey, newKeyPem } from "../../../../src/gate/https/acme/keys.ts";
import { finishOrder, placeOrder } from "../../../../src/gate/https/acme/order.ts";
import { type AcmeRequests, openAccount } from "../../../../src/gate/https/acme/requests.ts";
import { AUTHORITY_CA, type Authority } from "./authority.ts";

export const NAME = "home.example.org";
export const KEY: string = newKeyPem();

/** Signed requests to a test authority, over the real exchange. */
export async function requestsTo(
  t: TestContext,
  { directoryUrl }: Authority,
): Promise<AcmeRequests> {
  const exchange = createExchange([AUTHORITY_CA], new AbortController().signal);
  t.after(() => exchange[Symbol.dispose]());
  return openAccount(exchange, directoryUrl, accountKey(KEY));
}

export interface Ordering {
  /** The certificate chain, once the order is complete. */
  readonly chain: Promise<string>;
  /** The requested pauses, which are recorded and skipped. */
  readonly pauses: readonly number[];
  /** Published and withdrawn challenges, in order. */
  readonly published: readonly string[];
}

export function order(t: TestContext, authority: Authority): Ordering {
  const pauses: number[] = [];
  const published: string[] = [];
  const go = async (): Promise<string> => {
    const ports = {
      requests: await requestsTo(t, authority),
      challenges: {
        publish(token: string, answer: string) {
          published.push(`${token}: ${answer}`);
          return { [Symbol.dispose]: () => void published.push(`${token} is gone`) };
        },
      },
      pause: async (ms: number) => void pauses.push(ms),
    };
    return finishOrder(ports, await placeOrder(ports, NAME, KEY));
  };
  return { chain: go(), pauses, published };
}
