import type { Server } from 'node:http'
import type { Gateway } from '@headgate/gateway'
import { fastify } from 'fastify'
import { BASE_PATH } from './gateway.ts'

/**
 * Fastify. In the scope of the gateway no body is parsed, since it reads the body itself; `hijack` leaves the answer to
 * it.
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
