# The service and its console, without a database. DATABASE_URL names one.
FROM node:24-slim AS console

WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
COPY contract/package.json contract/
COPY console/package.json console/
RUN npm ci --ignore-scripts --include=dev --no-audit --no-fund

COPY contract contract
COPY console console
COPY scripts/build-console.ts scripts/
RUN node scripts/build-console.ts

FROM node:24-slim

WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY contract/package.json contract/
COPY sdk/package.json sdk/
COPY server/package.json server/
RUN npm ci --ignore-scripts --omit=dev --no-audit --no-fund

COPY contract contract
COPY sdk sdk
COPY server/src server/src
COPY docs docs
COPY --from=console /app/console/dist console/dist

RUN mkdir /data && chown node:node /data
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 HEADROOM_DATA=/data
VOLUME /data
EXPOSE 4000
USER node

HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]

CMD ["node", "--max-semi-space-size=8", "--heap-growing-percent=60", "server/src/main.ts", "serve"]
