import { createAuth, type User } from "latchkey";
import { type FetchAuth, fetchAuth } from "latchkey/fetch";
import { openSqlite } from "latchkey/sqlite";
import { headers } from "next/headers";
import { redirect } from "next/navigation";

async function open(): Promise<FetchAuth> {
  const store = await openSqlite({ file: "accounts.db" });
  const auth = createAuth({
    store,
    secret: process.env.AUTH_SECRET,
    basePath: "/auth",
    allowedHosts: "loopback-setup",
  });
  return fetchAuth(auth);
}

// One instance, although Next.js loads this module several times; opened by the first request,
// since the build loads it too.
const shared = globalThis as typeof globalThis & { latchkey?: Promise<FetchAuth> };

export function latchkey(): Promise<FetchAuth> {
  shared.latchkey ??= open();
  return shared.latchkey;
}

/** The guard of server components and server actions. */
export async function requireUser(): Promise<User> {
  const request = { headers: await headers() };
  const { currentUser } = await latchkey();
  return (await currentUser(request)) ?? redirect("/auth/login");
}
