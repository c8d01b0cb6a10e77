import { createServer, type Server } from 'node:http'
import type { Gateway } from '@headgate/gateway'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { BASE_PATH } from './gateway.ts'

/** Hono, by way of the fetch API: the same lines serve under every runtime that has one. */
export function honoServer(gateway: Gateway): Server {
  const app = new Hono()
  app.all(`${BASE_PATH}/*`, (context) => gateway.fetch(context.req.raw))
  app.get('/', (context) => context.text('Hello from Hono'))
  return createServer(getRequestListener(app.fetch))
}
