import { createParamDecorator, type ExecutionContext } from "@nestjs/common";
import { createAuth } from "latchkey";
import { expressAuth } from "latchkey/express";
import { openSqlite } from "latchkey/sqlite";

const store = await openSqlite({ file: "accounts.db" });
export const auth = createAuth({
  store,
  secret: process.env.AUTH_SECRET,
  basePath: "/auth",
  hosts: { allowed: "loopback-setup" },
  guards: { returnTo: true, onDenied: "negotiate" },
});

export const latchkey = expressAuth(auth);

/** The signed-in user, as a parameter of a handler. */
export const SignedIn = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  latchkey.user(context.switchToHttp().getResponse()),
);

export async function closeLatchkey(): Promise<void> {
  await auth.close();
  store.close();
}
