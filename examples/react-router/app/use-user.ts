import { useEffect, useState } from "react";

/** Who is signed in, `null` without a session. For display only. */
export function useUser() {
  const [user, setUser] = useState<{ username: string } | null>();
  useEffect(() => {
    fetch("/auth/account/me").then(async (answer) => setUser((await answer.json()).user));
  }, []);
  return user;
}
