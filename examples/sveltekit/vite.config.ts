import adapter from "@sveltejs/adapter-node";
import { sveltekit } from "@sveltejs/kit/vite";
import { defineConfig } from "vite";

// The origin that browsers use: SvelteKit refuses forms from any other, and assumes https.
const paths = { origin: process.env.ORIGIN };

export default defineConfig({ plugins: [sveltekit({ adapter: adapter(), paths })] });
