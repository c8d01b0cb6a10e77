import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { API_KEY } from '../apps/server/test/sdk/gateway.ts'

const CLI = join(import.meta.dirname, '../apps/server/dist/cli.js')

export { API_KEY }

/** Built program in a separate process. */
export interface Server {
  readonly url: string
  stop(): Promise<void>
}

/**
 * Starts the program in a folder, on a free port, with these providers, and with adapters of this repository that it
 * does not include.
 */
export async function startServer(
  folder: string,
  providers: Readonly<Record<string, object>>,
  {
    adapters = [],
    ...rest
  }: { readonly adapters?: readonly string[]; readonly search?: object; readonly server?: object } = {},
): Promise<Server> {
  const folders = adapters.map((one) => join(import.meta.dirname, '..', one))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, headgate: { adapters: folders } }))
  writeFileSync(join(folder, 'headgate.config.json'), JSON.stringify({ keys: [API_KEY], providers, ...rest }))
  const child = spawn(process.execPath, [CLI, 'start', '--port', '0', '--log-level', 'error'], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: folder },
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  const gone = once(child, 'exit')
  const said: string[] = []
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line)
    const url = /listening +(\S+)/.exec(line)?.[1]
    if (!url) continue
    child.stderr.resume()
    return {
      url,
      async stop() {
        child.kill('SIGTERM')
        await gone
      },
    }
  }
  throw new Error(`The gateway did not start: ${said.join('\n')}`)
}
