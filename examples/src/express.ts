import { createServer, type Server } from 'node:http'
import type { Gateway } from '@headgate/gateway'
import express from 'express'
import { BASE_PATH } from './gateway.ts'

/**
 * Express. The gateway precedes `express.json()`, because it reads the body itself. Express strips the mount path from
 * `req.url`, but the gateway reads the original URL.
 */
export function expressServer(gateway: Gateway): Server {
  const app = express()
  app.use(BASE_PATH, (request, response) => gateway.node(request, response))
  app.use(express.json())
  app.get('/', (_, response) => {
    response.send('Hello from Express')
  })
  return createServer(app)
}
