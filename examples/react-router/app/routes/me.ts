import { userContext } from "../user";
import type { Route } from "./+types/me";

export const loader = ({ context }: Route.LoaderArgs) => Response.json(context.get(userContext));
