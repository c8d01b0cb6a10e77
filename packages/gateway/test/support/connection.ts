import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { KEY } from './gateway.ts'

/** A caller who speaks HTTP by hand. */
export interface Connection {
  readonly socket: Socket
  /** What has come so far. */
  text(): string
  /** Resolves with all that came, when the other side has closed; `error` where that was a reset. */
  readonly closed: Promise<{ readonly text: string; readonly error?: Error }>
  /** Resolves when what has come matches. */
  has(pattern: RegExp): Promise<void>
}

export async function connectTo(port: number): Promise<Connection> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  let text = ''
  let failure: Error | undefined
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
  })
  socket.on('error', (error) => {
    failure = error
  })
  const closed = new Promise<{ text: string; error?: Error }>((resolve) =>
    socket.on('close', () => resolve({ text, ...(failure && { error: failure }) })),
  )
  return {
    socket,
    text: () => text,
    closed,
    async has(pattern) {
      while (!pattern.test(text)) await once(socket, 'data')
    },
  }
}

/** The head of a POST, with the right key unless another is given. */
export function post(path: string, headers: readonly string[], key = KEY): string {
  return [`POST ${path} HTTP/1.1`, 'host: gateway.test', `authorization: Bearer ${key}`, ...headers, '', ''].join(
    '\r\n',
  )
}
