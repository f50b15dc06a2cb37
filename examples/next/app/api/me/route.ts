import { fetchAuth } from "latchkey/fetch";
import { connection } from "next/server";
import { openAuth } from "../../../latchkey";

export async function GET(request: Request): Promise<Response> {
  await connection(); // For each request, and not at the build.
  const { requireAuth } = fetchAuth(await openAuth());
  return requireAuth((_request, user) => Response.json(user))(request);
}
