import { fetchAuth } from "latchkey/fetch";
import { type NextRequest, NextResponse } from "next/server";
import { openAuth } from "./latchkey";

export const config = { matcher: ["/", "/((?!auth/|auth$|_next/static/).*)"] };

export async function proxy(request: NextRequest): Promise<Response> {
  // Next.js accepts only absolute locations here.
  const { requireAuth } = fetchAuth(await openAuth(), { location: "absolute" });
  return requireAuth(() => NextResponse.next())(request);
}
