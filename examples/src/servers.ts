import type { Server } from 'node:http'
import type { Gateway } from '@headgate/gateway'
import { expressServer } from './express.ts'
import { fastifyServer } from './fastify.ts'
import { honoServer } from './hono.ts'
import { nodeServer } from './node.ts'

/** Examples by the name of their framework. */
export const servers: Readonly<Record<string, (gateway: Gateway) => Server | Promise<Server>>> = {
  node: nodeServer,
  express: expressServer,
  fastify: fastifyServer,
  hono: honoServer,
}
