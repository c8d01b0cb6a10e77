import { createServer, type Server } from 'node:http'
import type { Gateway } from '@headgate/gateway'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { BASE_PATH } from './gateway.ts'

/** Hono, through the fetch API. The same lines work in every runtime that has it. */
export function honoServer(gateway: Gateway): Server {
  const app = new Hono()
  app.all(`${BASE_PATH}/*`, (context) => gateway.fetch(context.req.raw))
  app.get('/', (context) => context.text('Hello from Hono'))
  return createServer(getRequestListener(app.fetch))
}
