import { type Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { CallerFault } from './kinds/callers.ts'
import type { CallerRequest } from './request.ts'

/** What a caller saw of its answer. */
export interface Seen {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly bytes: Buffer
  /** `whole`: it ended as HTTP has it. `left`: the caller did. `hung`: it did not end in time. */
  readonly end: 'whole' | 'broken' | 'left' | 'hung'
}

export interface CallOptions {
  readonly port: number
  readonly agent: Agent
  /** Resolves once a provider is asked. */
  readonly asked: Promise<void>
  /** Milliseconds after which a call hangs. */
  readonly bound: number
}

const FINISH = /"finish_reason": ?"|"stop_reason": ?"|"finishReason"/

/** Calls the gateway as a fault has it. Never rejects. */
export function callGateway(sent: CallerRequest, fault: CallerFault, options: CallOptions): Promise<Seen> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let response: IncomingMessage | undefined
    let left = false
    const whole = fault.leave !== 'within its body'
    const request = httpRequest({
      host: '127.0.0.1',
      port: options.port,
      agent: options.agent,
      method: sent.method,
      path: sent.path,
      headers: { ...sent.headers, 'content-length': String(sent.body.length) },
    })
    const done = (end: Seen['end']): void => {
      clearTimeout(timer)
      const bytes = Buffer.concat(chunks)
      resolve({
        status: response?.statusCode ?? 0,
        headers: response?.headers ?? {},
        body: bytes.toString('utf8'),
        bytes,
        end,
      })
      if (end !== 'whole') request.destroy()
    }
    const timer = setTimeout(() => done('hung'), options.bound)
    const leave = (): void => {
      left = true
      request.destroy()
      done('left')
    }
    const receive = (chunk: Buffer): void => {
      chunks.push(chunk)
      if (fault.leave === 'body') leave()
      else if (fault.leave === 'finish' && FINISH.test(Buffer.concat(chunks).toString('latin1'))) leave()
    }
    request.on('error', () => done(left ? 'left' : 'broken'))
    request.on('response', (given) => {
      response = given
      given.on('data', receive)
      given.on('error', () => {})
      given.on('close', () => done(left ? 'left' : given.complete ? 'whole' : 'broken'))
      if (fault.leave === 'head') leave()
      if (fault.halt === undefined) return
      given.pause()
      setTimeout(() => given.resume(), fault.halt)
    })
    if (fault.leave === 'asked') void options.asked.then(leave)
    if (whole) send(request, sent.body, fault.pieces)
    else request.write(sent.body.subarray(0, sent.body.length >> 1), () => setImmediate(leave))
  })
}

function send(request: ReturnType<typeof httpRequest>, body: Buffer, size = body.length): void {
  const next = (at: number): void => {
    if (request.destroyed) return
    if (at >= body.length) request.end()
    else request.write(body.subarray(at, at + size), () => setImmediate(next, at + size))
  }
  if (size >= body.length) request.end(body)
  else next(0)
}
