import { createServer, type Server } from 'node:http'
import type { Gateway } from '@headgate/core'
import express from 'express'
import { BASE_PATH } from './gateway.ts'

/**
 * Express. The gateway stands before `express.json()`, since it reads the body itself; and it is a route, not
 * `app.use('/ai', …)`, which would cut the path that it needs whole.
 */
export function expressServer(gateway: Gateway): Server {
  const app = express()
  app.all(`${BASE_PATH}/{*path}`, (request, response) => gateway.node(request, response))
  app.use(express.json())
  app.get('/', (_, response) => {
    response.send('Hello from Express')
  })
  return createServer(app)
}
