import type { TestContext } from "node:test";
import { type Running, startLatchkey } from "./process.ts";

const PRINTED =
  /behind Latchkey: (http:\S+)\/\n\n {2}Administrator {2}(\S+) {2}(\S+)\n {2}Member {9}(\S+) {2}(\S+)\n {2}Guest {10}(http:\S+)\n[\s\S]*\n3\. Open (http:\S+)\/, which [\s\S]*Stop it with Ctrl-C\.\n/;

type Credentials = Readonly<Record<"username" | "password", string>>;

export interface Demo extends Running {
  /** The URL of Latchkey, without a path. */
  readonly url: string;
  /** The URL of the app for administrators. */
  readonly plansUrl: string;
  readonly admin: Credentials;
  readonly member: Credentials;
  readonly guestLink: string;
}

/** Starts the demo, and returns what it prints. */
export async function startDemo(
  t: TestContext,
  env: Readonly<Record<string, string>> = {},
  cwd?: string,
): Promise<Demo> {
  const running = startLatchkey(t, ["demo"], env, cwd);
  const [, url = "", ...others] = await running.shows(PRINTED);
  const [admin = "", adminPassword = "", member = "", memberPassword = ""] = others;
  const [guestLink = "", plansUrl = ""] = others.slice(4);
  return {
    ...{ ...running, url, plansUrl, guestLink },
    admin: { username: admin, password: adminPassword },
    member: { username: member, password: memberPassword },
  };
}
