import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { vi } from 'vitest'
import { type ProgramOptions, start } from './program.ts'
import { temporaryFolder } from './temporary.ts'

const CLAIM = { email: 'ada@example.com', name: 'Ada', password: 'correct horse battery' }

export interface Ask extends Omit<RequestInit, 'body' | 'headers'> {
  /** Sent as JSON. */
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

/** A running program, and the owner of its organisation, who is signed in. */
export async function startSignedIn(
  config: object = {},
  { args = [], ...options }: Partial<ProgramOptions> & { readonly args?: readonly string[] } = {},
) {
  const folder = options.folder ?? temporaryFolder({ 'headgate.config.json': config })
  const gateway = await start({ ...options, folder, args: ['--no-print-key', ...args] })
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
