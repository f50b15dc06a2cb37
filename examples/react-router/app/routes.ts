import { index, type RouteConfig, route } from "@react-router/dev/routes";

export default [
  index("routes/home.tsx"),
  route("notes", "routes/notes.tsx"),
  route("api/me", "routes/me.ts"),
] satisfies RouteConfig;
