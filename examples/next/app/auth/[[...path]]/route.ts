import { fetchAuth } from "latchkey/fetch";
import { connection } from "next/server";
import { openAuth } from "../../../latchkey";

async function answer(request: Request): Promise<Response> {
  await connection(); // For each request, and not at the build.
  const { routes } = fetchAuth(await openAuth());
  // The proxy in front of Next.js appends the client's address; without a proxy, Next.js sets it.
  const remoteAddress = request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim() ?? "";
  return (await routes(request, { remoteAddress })) ?? new Response("Not found", { status: 404 });
}

export { answer as GET, answer as POST };
