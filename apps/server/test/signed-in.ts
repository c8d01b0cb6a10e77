import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it, vi } from 'vitest'
import { startInProcess } from './in-process.ts'
import { type ProgramOptions, start } from './program.ts'
import { temporaryFolder } from './temporary.ts'

const CLAIM = { email: 'ada@example.com', name: 'Ada', password: 'correct horse battery' }

export interface Ask extends Omit<RequestInit, 'body' | 'headers'> {
  /** Sent as JSON. */
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

/** A gateway, in this process or as a program with workers, and the owner of its organization, who is signed in. */
export async function startSignedIn(
  config: object = {},
  { args = [], ...options }: Partial<ProgramOptions> & { readonly args?: readonly string[] } = {},
) {
  const folder = options.folder ?? temporaryFolder({ 'headgate.config.json': config })
  const begin = args.includes('--workers') ? start : startInProcess
  const gateway = await begin({ ...options, folder, args: ['--no-print-key', ...args] })
  const file = (name: string) => readFileSync(join(folder, '.headgate', name), 'utf8').trim()
  await vi.waitUntil(() => gateway.output().includes('first-account-link'), { timeout: 60_000 })
  const { origin, hash } = new URL(file('first-account-link'))
  const send = (cookie: string, path: string, { body, headers, ...init }: Ask = {}) =>
    fetch(`${gateway.url}/api/v1${path}`, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      ...init,
      headers: { origin, 'content-type': 'application/json', ...(cookie !== '' && { cookie }), ...headers },
    })
  const signIn = async (path: string, body: object) => {
    const answer = await send('', path, { body })
    if (!answer.ok) throw new Error(await answer.text())
    return answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  }
  const cookie = await signIn('/first', { ...CLAIM, token: /token=(.*)$/.exec(hash)?.[1] })
  const as = (cookie: string) => ({
    cookie,
    ask: (path: string, init?: Ask) => send(cookie, path, init),
    async read<T = Record<string, unknown>>(path: string, init?: Ask): Promise<T> {
      const answer = await send(cookie, path, init)
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
      return (await answer.json()) as T
    },
  })
  const owner = as(cookie)
  let count = 0
  return {
    gateway,
    folder,
    origin,
    owner,
    nobody: as(''),
    /** The key of the first start. */
    key: () => file('first-api-key'),
    /** Somebody who joins by an invite. */
    async member(role: string) {
      const { token } = await owner.read<{ token: string }>('/invites', { body: { role } })
      const email = `${role}${++count}@example.com`
      return as(await signIn('/invites/accept', { token, email, name: role, password: 'another horse battery' }))
    },
  }
}

/** A test of a gateway in this process, which the full suite repeats with two workers. `args`: for `startSignedIn`. */
export function itAlsoWithWorkers(name: string, test: (args: readonly string[]) => Promise<void>): void {
  it(name, () => test([]))
  it(`${name}, with two workers`, { tags: ['full'] }, () => test(['--workers', '2']))
}
