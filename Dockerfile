# syntax=docker/dockerfile:1

FROM node:24-bookworm-slim AS build
WORKDIR /src
ENV CI=true
COPY . .
RUN npx -y pnpm@12 install --frozen-lockfile \
 && npx -y pnpm@12 build \
 && npx -y pnpm@12 --filter headgate deploy --prod --legacy /app

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8787 HEADGATE_DATA_DIR=/data
COPY --from=build /app /app
RUN install -d -o node -g node -m 0700 /data
USER node
WORKDIR /data
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node is process 1, so that SIGTERM reaches it.
ENTRYPOINT ["node", "/app/dist/cli.js"]
