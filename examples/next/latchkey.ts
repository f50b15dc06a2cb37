import { type Auth, createAuth, type User } from "latchkey";
import { openSqlite } from "latchkey/sqlite";
import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { connection } from "next/server";

async function open(): Promise<Auth> {
  const store = await openSqlite({ file: "accounts.db" });
  return createAuth({
    store,
    secret: process.env.AUTH_SECRET,
    basePath: "/auth",
    hosts: { allowed: "loopback-setup" },
    guards: { returnTo: true, onDenied: "negotiate" },
  });
}

// One instance, although Next.js loads this module several times; opened by the first request,
// since the build loads it too.
const shared = globalThis as typeof globalThis & { latchkey?: Promise<Auth> | undefined };

export function openAuth(): Promise<Auth> {
  shared.latchkey ??= open().catch((error) => {
    shared.latchkey = undefined;
    throw error;
  });
  return shared.latchkey;
}

/** The guard of server components and server actions. Like that of proxy.ts, it admits no guest. */
export async function requireUser(): Promise<User> {
  await connection(); // For each request: neither at the build nor in a prerendering.
  const auth = await openAuth();
  const user = await auth.currentUser(await headers());
  return user === undefined || user.guest === true ? redirect("/auth/login") : user;
}
