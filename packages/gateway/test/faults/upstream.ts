import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import type { Step } from './step.ts'

/** One call as an upstream got it. */
export interface Arrival {
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** How many calls came over its connection before. */
  readonly earlier: number
}

/** What an upstream does with the calls under one path. */
export type Script = (arrival: Arrival) => readonly Step[]

/** One server for all upstreams: the first segment of a path says whose call it is. */
export interface Upstream {
  readonly port: number
  play(name: string, script: Script): void
  /** Connections over which calls of a name came and that are still open. */
  open(name: string): number
  /** Calls of a name that are still being played. */
  playing(name: string): number
  forget(name: string): void
  close(): Promise<void>
}

interface Line {
  readonly socket: Socket
  readonly names: Set<string>
  playing: string | undefined
  calls: number
  waiting: Buffer
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

function written(socket: Socket, bytes: string | Uint8Array): Promise<unknown> {
  return new Promise((resolve) => {
    if (socket.destroyed) resolve(undefined)
    else {
      socket.once('close', resolve)
      socket.write(bytes, () => {
        socket.off('close', resolve)
        resolve(undefined)
      })
    }
  })
}

/** Does what is asked, until the other side gives up. */
async function play(socket: Socket, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if (socket.destroyed) return
    if (step === 'reset') socket.resetAndDestroy()
    else if (step === 'close') socket.end()
    else if (step === 'stall') await new Promise((resolve) => socket.once('close', resolve))
    else if ('pause' in step) await pause(step.pause)
    else await written(socket, step.send)
  }
}

/** The first call in the bytes, and what follows it; undefined while it is not whole. */
function readCall(bytes: Buffer): { arrival: Omit<Arrival, 'earlier'>; rest: Buffer } | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [line = '', ...fields] = bytes.toString('latin1', 0, end).split('\r\n')
  const headers = Object.fromEntries(
    fields.map((field) => {
      const colon = field.indexOf(':')
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()]
    }),
  )
  const start = end + 4
  const length = Number(headers['content-length'] ?? 0)
  if (bytes.length < start + length) return undefined
  const body = bytes.subarray(start, start + length)
  return { arrival: { path: line.split(' ')[1] ?? '/', headers, body }, rest: bytes.subarray(start + length) }
}

export async function startUpstream(): Promise<Upstream> {
  const scripts = new Map<string, Script>()
  const lines = new Set<Line>()

  const next = (line: Line): void => {
    if (line.playing !== undefined || line.socket.destroyed) return
    const call = readCall(line.waiting)
    if (!call) return
    line.waiting = call.rest
    const name = call.arrival.path.split('/')[1] ?? ''
    const script = scripts.get(name)
    if (!script) {
      line.socket.destroy()
      return
    }
    line.playing = name
    line.names.add(name)
    const steps = script({ ...call.arrival, earlier: line.calls++ })
    void play(line.socket, steps).then(() => {
      line.playing = undefined
      next(line)
    })
  }

  let closing = false
  const server = createServer({ noDelay: true }, (socket) => {
    const line: Line = { socket, names: new Set(), playing: undefined, calls: 0, waiting: Buffer.alloc(0) }
    if (closing) socket.destroy()
    lines.add(line)
    socket.on('error', () => {})
    socket.on('close', () => lines.delete(line))
    socket.on('data', (bytes: Buffer) => {
      line.waiting = line.waiting.length === 0 ? bytes : Buffer.concat([line.waiting, bytes])
      next(line)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const count = (counts: (line: Line) => boolean): number => [...lines].filter(counts).length
  return {
    port: (server.address() as AddressInfo).port,
    play: (name, script) => void scripts.set(name, script),
    open: (name) => count((line) => line.names.has(name)),
    playing: (name) => count((line) => line.playing === name),
    forget: (name) => void scripts.delete(name),
    close: () =>
      new Promise((resolve) => {
        closing = true
        server.close(() => resolve())
        for (const { socket } of lines) socket.destroy()
      }),
  }
}
