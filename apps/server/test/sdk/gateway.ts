import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { NODE_COMPILE_CACHE, PROGRAM } from '../tested.ts'

const ROOT = join(import.meta.dirname, '../../../..')

/** The key that callers hold. */
export const API_KEY = 'sk-local-of-the-caller'

/** The program in a process of its own. */
export interface GatewayProcess {
  readonly url: string
  /** Resolves when it is gone: at once, as `kill -9` does, or in order. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
}

/**
 * A folder of its own, with a configuration that names these upstreams, and adapters of this repository that the
 * program does not bring.
 */
export function gatewayFolder(
  providers: Readonly<Record<string, object>>,
  rest: object = {},
  adapters: readonly string[] = [],
): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'headgate-'))
  const folders = adapters.map((folder) => join(ROOT, folder))
  writeFileSync(join(path, 'package.json'), JSON.stringify({ private: true, headgate: { adapters: folders } }))
  writeFileSync(join(path, 'headgate.config.json'), JSON.stringify({ keys: [API_KEY], providers, ...rest }))
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) }
}

/** Starts the program in a folder, on a free port. Rejects with what it said when it does not listen. */
export async function startGateway(folder: string, flags: readonly string[] = []): Promise<GatewayProcess> {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [...PROGRAM, 'start', '--port', '0', '--log-level', 'warn', ...flags], {
    cwd: folder,
    env: { PATH, NODE_COMPILE_CACHE },
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
      async end(signal) {
        child.kill(signal)
        await gone
      },
    }
  }
  throw new Error(`The gateway did not start: ${said.join('\n')}`)
}
