import { type NextRequest, NextResponse } from "next/server";
import { latchkey } from "./latchkey";

export const config = { matcher: "/((?!auth|_next/).*)" };

export async function proxy(request: NextRequest): Promise<Response> {
  const { requireAuth } = await latchkey();
  return requireAuth(() => NextResponse.next())(request);
}
