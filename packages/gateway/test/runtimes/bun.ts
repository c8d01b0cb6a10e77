import { writeSync } from 'node:fs'
import type { FetchContext } from '../../src/index.ts'

/** What this uses of Bun. @see https://bun.com/docs/runtime/http/server */
declare const Bun: {
  serve(options: { hostname: string; port: number; fetch(request: Request): Response | Promise<Response> }): {
    readonly port: number
  }
}

interface Worker {
  fetch(request: Request, env: NodeJS.ProcessEnv, context: FetchContext): Response | Promise<Response>
}

const { default: worker }: { default: Worker } = await import(process.argv[2] ?? '')
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => worker.fetch(request, process.env, {}) })
writeSync(3, `${JSON.stringify({ event: 'listen', port: server.port })}\n`)
