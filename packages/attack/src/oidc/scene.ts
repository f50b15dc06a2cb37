import { requireAccount, type Target } from "../target.ts";
import { findProvider } from "./browser.ts";
import type { Scene } from "./tokens.ts";

/** The server with the session of the account to attack with. */
export async function openScene(target: Target): Promise<Scene> {
  const provider = await findProvider(target);
  const { token } = await requireAccount(target);
  return { target, provider, session: token };
}
