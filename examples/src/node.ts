import { createServer, type Server } from 'node:http'
import type { Gateway } from '@headgate/gateway'
import { BASE_PATH } from './gateway.ts'

/** Plain `node:http`. */
export function nodeServer(gateway: Gateway): Server {
  return createServer((request, response) => {
    if (request.url?.startsWith(`${BASE_PATH}/`)) return gateway.node(request, response)
    response.end('Hello from node:http')
  })
}
