import { Outlet, Scripts } from "react-router";

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
