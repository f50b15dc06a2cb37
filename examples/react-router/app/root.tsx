import { Outlet, Scripts } from "react-router";
import { useSignInAgain } from "./sign-in-again";

export default () => (
  <html lang="en">
    <head>
      <meta charSet="utf-8" />
      <title>Example</title>
    </head>
    <body>
      <Outlet />
      <Scripts />
    </body>
  </html>
);

export function ErrorBoundary() {
  useSignInAgain();
  return <p>Something went wrong. Please try again.</p>;
}
