import { createServer } from 'node:http'
import { Pool } from 'undici'

/**
 * Floor: a minimal server that forwards a request with `Pool.dispatch` and writes the response through. With `parse`,
 * it also splits the events of a stream, and parses and serializes each. No gateway on Node can cost less.
 */
const [upstream = '', mode = 'pass'] = process.argv.slice(2)
const pool = new Pool(upstream, { connections: null, pipelining: 1 })

function reserialize(text: string): string {
  let out = ''
  for (const frame of text.split('\n\n')) {
    if (frame === '') continue
    const at = frame.indexOf('data: ')
    const data = frame.slice(at + 6)
    out += data === '[DONE]' ? `${frame}\n\n` : `${frame.slice(0, at)}data: ${JSON.stringify(JSON.parse(data))}\n\n`
  }
  return out
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = Buffer.concat(chunks)
    let tail = ''
    pool.dispatch(
      { path: request.url ?? '/', method: 'POST', headers: { 'content-type': 'application/json' }, body },
      {
        onRequestStart() {},
        onResponseStart(_, status, headers) {
          const type = headers['content-type']
          const length = headers['content-length']
          response.writeHead(status, {
            ...(type !== undefined && { 'content-type': String(type) }),
            ...(length !== undefined && { 'content-length': String(length) }),
          })
        },
        onResponseData(controller, chunk) {
          if (mode === 'pass') {
            if (!response.write(chunk)) {
              controller.pause()
              response.once('drain', () => controller.resume())
            }
            return
          }
          const text = tail + chunk.toString('utf8')
          const end = text.lastIndexOf('\n\n') + 2
          tail = text.slice(end)
          response.write(reserialize(text.slice(0, end)))
        },
        onResponseEnd() {
          response.end()
        },
        onResponseError() {
          response.destroy()
        },
      },
    )
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`listening ${typeof address === 'object' && address ? address.port : 0}\n`)
})
