import type { Context } from "hono";
import type { SignInAttempt, SignInOutcome } from "../core/sign-in.ts";
import type { Form } from "./form.ts";
import { locationFor, type PostLoginLocation } from "./location.ts";
import type { Paths } from "./paths.ts";
import type { RemoteAddress } from "./remote-address.ts";
import type { Responses } from "./responses.ts";
import { sessionCookie } from "./session-cookie.ts";

export interface LoginPorts {
  readonly signIn: (attempt: SignInAttempt) => Promise<SignInOutcome>;
  readonly remoteAddress: RemoteAddress;
  readonly responses: Responses;
  readonly postLoginLocation: PostLoginLocation;
  readonly paths: Paths;
}

export async function postLogin(ports: LoginPorts, c: Context, form: Form): Promise<Response> {
  const { redirect } = ports.responses;
  const outcome = await ports.signIn({
    remoteAddress: ports.remoteAddress(c),
    username: form("username"),
    password: form("password"),
  });
  switch (outcome.kind) {
    case "needs-setup":
      return redirect(ports.paths.setup);
    case "rate-limited":
    case "rejected":
      return redirect(`${ports.paths.login}?error=1`);
    case "signed-in":
      return redirect(locationFor(ports.postLoginLocation, outcome.user), {
        "Set-Cookie": sessionCookie(c, outcome.token),
      });
  }
}
