import { parseJsonObject } from "../../src/lib/json.ts";
import type { Network } from "./faulty-store.ts";
import type { KnownApp } from "./model/apps.ts";

/** After this time a gate gives up a request. */
const TIMEOUT_MS = 10_000;
const SLOWEST_MS = 2_000;

/** The servers of the apps, as the gates reach them: they take a message, fail, or are away. */
export const createTellApp =
  (network: Network, apps: readonly KnownApp[]) =>
  async (url: string, token: string): Promise<void> => {
    const { time, random } = network;
    const app = apps.find(({ backchannelUrl }) => backchannelUrl === url);
    if (app === undefined) throw new Error(`there is no app at ${url}`);
    const { isFaulty } = network;
    const fate = random.next();
    const isUp =
      !isFaulty || app.answers === "always" || (app.answers === "sometimes" && fate < 0.4);
    if (!isUp && fate < 0.7) {
      await time.pause(TIMEOUT_MS);
      throw new Error("the app does not answer");
    }
    await time.pause(isFaulty ? random.next() ** 3 * SLOWEST_MS : 1);
    if (!isUp) throw new Error("the app answered 503");
    app.acknowledged.push({ sid: readSid(token), at: time.now() });
    if (isFaulty && app.answers !== "always" && fate < 0.1)
      throw new Error("the answer of the app is lost");
  };

function readSid(token: string): string {
  const [, claims = ""] = token.split(".");
  return String(parseJsonObject(Buffer.from(claims, "base64url").toString("utf8"))?.sid);
}
