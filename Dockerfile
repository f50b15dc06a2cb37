FROM node:26-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN node build.ts && npm prune --omit=dev --ignore-scripts

FROM node:26-slim
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /latchkey
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
# The only writable folder: the rest of the file system may be read-only.
RUN install -d -m 0700 -o node -g node /data
USER node
VOLUME ["/data"]
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=3s CMD ["node", "-e", "const { PORT, HTTPS_PORT, TLS_CERT_FILE } = process.env; require(TLS_CERT_FILE && !HTTPS_PORT ? 'https' : 'http').get({ host: '127.0.0.1', port: PORT || 3000, path: '/healthz', rejectUnauthorized: false }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
# As in the first line of the file. The dashes keep Node.js from reading Latchkey's options as its own.
ENTRYPOINT ["node", "--max-semi-space-size=4", "--", "dist/cli/main.js"]
CMD ["serve"]
