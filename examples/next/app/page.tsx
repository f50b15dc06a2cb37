import Link from "next/link";
import { Suspense } from "react";
import { requireUser } from "../latchkey";

export default function Home() {
  return (
    <Suspense>
      <Welcome />
    </Suspense>
  );
}

async function Welcome() {
  const { username } = await requireUser();
  return (
    <>
      <h1>Hello, {username}</h1>
      <Link href="/notes">Notes</Link>
      <form method="post" action="/auth/logout">
        <button type="submit">Sign out</button>
      </form>
    </>
  );
}
