import { Link } from "react-router";
import { userContext } from "../user";
import type { Route } from "./+types/home";

export const loader = ({ context }: Route.LoaderArgs) => context.get(userContext);

export default ({ loaderData }: Route.ComponentProps) => (
  <>
    <h1>Hello, {loaderData.username}</h1>
    <Link to="/notes">Notes</Link>
    <form method="post" action="/auth/logout">
      <button type="submit">Sign out</button>
    </form>
  </>
);
