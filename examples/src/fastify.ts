import type { Server } from 'node:http'
import type { Gateway } from '@headgate/gateway'
import { fastify } from 'fastify'
import { BASE_PATH } from './gateway.ts'

/**
 * Fastify. No body is parsed in the gateway's scope, because the gateway reads it itself. `hijack` leaves the response
 * to the gateway.
 */
export async function fastifyServer(gateway: Gateway): Promise<Server> {
  const app = fastify()
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _body, done) => done(null))
    scope.all(`${BASE_PATH}/*`, (request, reply) => {
      reply.hijack()
      gateway.node(request.raw, reply.raw)
    })
  })
  app.get('/', () => 'Hello from Fastify')
  await app.ready()
  return app.server
}
