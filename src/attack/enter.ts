import { isSuccess, signIn, type Target } from "./target.ts";

/** Signs in with the account to attack with. Takes one attempt. */
export async function enter(
  target: Target,
  username: string,
  password: string,
): Promise<"entered" | "refused"> {
  const answer = await signIn(target, { username, password });
  const { session: token, cookies } = answer;
  if (!isSuccess(answer) || token === undefined) return "refused";
  target.account = { username, password, token, cookies };
  return "entered";
}
