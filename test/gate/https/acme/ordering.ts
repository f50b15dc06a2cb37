import { accountKey, newKeyPem } from "../../../../src/gate/https/acme/keys.ts";
import { finishOrder, placeOrder } from "../../../../src/gate/https/acme/order.ts";
import {
  type AcmeRequests,
  openAccount,
  type Authority as RealAuthority,
} from "../../../../src/gate/https/acme/requests.ts";
import { AUTHORITY_CA, type Authority } from "./authority.ts";

export const NAME = "home.example.org";
export const KEY: string = newKeyPem();

/** Signed requests to a test authority. */
export const requestsTo = (
  { directoryUrl }: Pick<Authority, "directoryUrl">,
  { ca = [AUTHORITY_CA], stop = new AbortController().signal }: Partial<RealAuthority> = {},
): Promise<AcmeRequests> => openAccount({ directoryUrl, ca, stop }, accountKey(KEY));

export interface Ordering {
  /** The certificate chain, once the order is complete. */
  readonly chain: Promise<string>;
  /** The requested pauses, which are recorded and skipped. */
  readonly pauses: readonly number[];
  /** Published and withdrawn challenges, in order. */
  readonly published: readonly string[];
}

export function order(authority: Authority): Ordering {
  const pauses: number[] = [];
  const published: string[] = [];
  const go = async (): Promise<string> => {
    const ports = {
      requests: await requestsTo(authority),
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
