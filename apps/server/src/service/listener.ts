import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HeadgateError } from '@headgate/core'

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

/**
 * The HTTP server. A connection is kept longer than load balancers keep theirs (60 s), so that it is never they who find it
 * closed. A whole request may take as long as its body needs; its headers may not.
 */
export function createListener(handler: Handler): Server {
  return createServer({ keepAliveTimeout: 75_000, requestTimeout: 0, headersTimeout: 60_000 }, handler)
}

/** Listens; a port or host that can not be had is the user's to change. */
export async function listen(server: Server, port: number, host: string): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, port, host)))
    server.listen(port, host, resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('A server that listens on a port has an address.')
  return address
}

function listenError(error: Error, port: number, host: string): Error {
  const code = 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return new HeadgateError('invalid-request', `Port ${port} of ${host} is in use. Choose another with --port or PORT.`)
  if (code === 'EACCES')
    return new HeadgateError('invalid-request', `Port ${port} may not be used by this user. Choose one above 1023 with --port or PORT.`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new HeadgateError('invalid-request', `${host} is no address of this machine. Choose another with --host or HOST.`)
  return error
}
