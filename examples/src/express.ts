import { createServer, type Server } from 'node:http'
import type { Gateway } from '@headgate/gateway'
import express from 'express'
import { BASE_PATH } from './gateway.ts'

/**
 * Express. The gateway stands before `express.json()`, since it reads the body itself. That Express cuts the path under
 * which it mounts a handler is no matter: the gateway looks at the whole one.
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
