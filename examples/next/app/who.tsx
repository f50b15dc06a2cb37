"use client";

import { useEffect, useState } from "react";

/** For client components: who is signed in, `null` without a session. For display only. */
function useUser() {
  const [user, setUser] = useState<{ username: string } | null>();
  useEffect(() => {
    fetch("/auth/account/me").then(async (answer) => setUser((await answer.json()).user));
  }, []);
  return user;
}

export function Who() {
  return <p>Signed in as {useUser()?.username}</p>;
}
