import type { FetchContext } from '../../src/index.ts'
import { createProgram, type Settings } from './program.ts'

let program: ReturnType<typeof createProgram> | undefined

/** A Worker. @see https://developers.cloudflare.com/workers/runtime-apis/handlers/fetch/ */
export default {
  fetch(request: Request, env: Settings, context: FetchContext): Response | Promise<Response> {
    program ??= createProgram(env)
    return program(request, context)
  },
}
