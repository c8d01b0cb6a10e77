import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'

/** Runs in a thread: the upstream of a gateway, and callers that try to use up its memory and time. */

const CONNECTIONS = 80
const SILENT = 300
/** Milliseconds between a refusal and the next try: what `retry-after` says. */
const AGAIN = 1_000

export interface Attack {
  readonly url: string
  readonly kind: 'unread' | 'members' | 'silent'
  readonly key: string
}

/** Counts of what attackers got, by kind of attack and status. */
export type Counts = Record<string, number>

const completion = (content: string): Buffer =>
  Buffer.from(
    JSON.stringify({
      id: '1',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    }),
  )
const LARGE = completion('x'.repeat(30_000_000))
const SMALL = completion('Hi')

const upstream = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const start = Buffer.concat(chunks).toString('latin1', 0, 200)
    if (start.includes('"silent"')) return
    response.writeHead(200, { 'content-type': 'application/json' }).end(start.includes('"large"') ? LARGE : SMALL)
  })
})

const counts: Counts = {}
const count = (what: string): void => {
  counts[what] = (counts[what] ?? 0) + 1
}

const bodyOf = (model: string, more = ''): Buffer =>
  Buffer.from(`{"model":"${model}","messages":[{"role":"user","content":"Hello"}]${more}}`)
const MEMBERS = bodyOf(
  'small',
  `,"metadata":{${Array.from({ length: 900_000 }, (_, index) => `"k${index}":1`).join(',')}}`,
)

/**
 * One request over its own connection. Without `reads` the caller stops after the head; resolves when the connection
 * has closed.
 */
function ask({ url, key, kind }: Attack, body: Buffer, reads: boolean): Promise<void> {
  const { port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`,
    )
    socket.write(body)
    socket.once('data', (chunk: Buffer) => {
      const status = chunk.toString('latin1', 9, 12)
      count(`${kind} ${status}`)
      if (status === '200' && !reads) socket.pause()
    })
    socket.on('error', () => count(`${kind} error`))
    socket.on('close', () => resolve())
  })
}

async function repeat(attack: Attack, body: Buffer, reads: boolean): Promise<void> {
  for (;;) {
    await ask(attack, body, reads)
    await pause(AGAIN)
  }
}

const ATTACKS: Readonly<Record<Attack['kind'], (attack: Attack) => unknown>> = {
  unread: (attack) => Array.from({ length: CONNECTIONS }, () => repeat(attack, bodyOf('large'), false)),
  members: (attack) => repeat(attack, MEMBERS, true),
  silent: (attack) => Array.from({ length: SILENT }, () => repeat(attack, bodyOf('silent'), true)),
}

parentPort?.on('message', (attack: Attack | 'counts') => {
  if (attack === 'counts') parentPort?.postMessage(counts)
  else ATTACKS[attack.kind](attack)
})
upstream.listen(0, '127.0.0.1', () => parentPort?.postMessage((upstream.address() as AddressInfo).port))
