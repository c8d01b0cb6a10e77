import { writeSync } from 'node:fs'
import { createProgram } from './program.ts'

/** What this uses of Bun. @see https://bun.com/docs/runtime/http/server */
declare const Bun: {
  serve(options: { hostname: string; port: number; fetch(request: Request): Response | Promise<Response> }): { readonly port: number }
}

const { UPSTREAM = '', CLOSED = '', PATIENCE = '' } = process.env
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: createProgram({ UPSTREAM, CLOSED, PATIENCE }) })
writeSync(3, `${JSON.stringify({ event: 'listen', port: server.port })}\n`)
