import { createServer } from 'node:http'

/**
 * Upstream whose calls take 250 to 750 ms, as a separate process. `GET /busy` returns the time of all calls so far, in
 * milliseconds.
 */
const SHORTEST_MS = 250
const LONGEST_MS = 750
const ANSWER = JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  created: 1_760_000_000,
  model: 'bench-model',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop', logprobs: null }],
  usage: { prompt_tokens: 210, completion_tokens: 4, total_tokens: 214 },
})

let busyMs = 0
/** Milliseconds of calls in progress: the sum of their starts, and their number. */
let startedMs = 0
let running = 0
let calls = 0

/** Deterministic time of a call. Neighbors differ; the mean is in the middle of the limits. */
function timeOf(nth: number): number {
  return SHORTEST_MS + ((nth * 0.618_034) % 1) * (LONGEST_MS - SHORTEST_MS)
}

const server = createServer((request, response) => {
  if (request.url === '/busy') return void response.end(String(busyMs + running * performance.now() - startedMs))
  const begun = performance.now()
  startedMs += begun
  running++
  request.resume().on('end', () => {
    setTimeout(() => {
      busyMs += performance.now() - begun
      startedMs -= begun
      running--
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(ANSWER)
    }, timeOf(calls++))
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(`listening ${typeof address === 'object' && address ? address.port : 0}`)
})
