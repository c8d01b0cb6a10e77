import type { Program } from './program.ts'

export const ROLES = ['owner', 'admin', 'member', 'viewer'] as const
export type Role = (typeof ROLES)[number]

export const OWNER = { email: 'ada@example.com', name: 'Ada Lovelace', password: 'correct horse battery' } as const
export const PASSWORD = 'another horse battery'

/** Somebody who is signed in. */
export interface Person {
  readonly name: string
  readonly email: string
  /** Value of the session's cookie, `headgate`. */
  readonly session: string
  /** What the management API answers. @throws what it refused. */
  ask<T = Readonly<Record<string, unknown>>>(path: string, body?: object, method?: 'POST' | 'PATCH'): Promise<T>
}

/** Makes the first account, by the API. */
export async function claim({ origin, firstLink }: Program): Promise<Person> {
  const token = /token=(.*)$/.exec(firstLink)?.[1] ?? ''
  return person(origin, OWNER, await enter(origin, '/first', { ...OWNER, token }))
}

/** Has somebody join by an invite, by the API. */
export async function join(origin: string, owner: Person, role: Role, name: string): Promise<Person> {
  const { token } = await owner.ask<{ token: string }>('/invites', { role })
  const account = { email: `${name.split(' ')[0]?.toLowerCase()}@example.com`, name, password: PASSWORD }
  return person(origin, account, await enter(origin, '/invites/accept', { ...account, token }))
}

function person(
  origin: string,
  { name, email }: { readonly name: string; readonly email: string },
  session: string,
): Person {
  return {
    name,
    email,
    session,
    async ask<T>(path: string, body?: object, method?: 'POST' | 'PATCH'): Promise<T> {
      const answer = await send(origin, path, body, { headers: { cookie: `headgate=${session}` }, method })
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
      return (answer.status === 204 ? {} : await answer.json()) as T
    },
  }
}

async function enter(origin: string, path: string, body: object): Promise<string> {
  const answer = await send(origin, path, body)
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return /^headgate=([^;]+)/.exec(answer.headers.getSetCookie()[0] ?? '')?.[1] ?? ''
}

interface Sent {
  readonly headers?: Readonly<Record<string, string>>
  /** Of a request with a body. Default: `POST`. */
  readonly method?: 'POST' | 'PATCH' | undefined
}

function send(
  origin: string,
  path: string,
  body?: object,
  { headers = {}, method = 'POST' }: Sent = {},
): Promise<Response> {
  return fetch(`${origin}/api/v1${path}`, {
    ...(body && { method, body: JSON.stringify(body) }),
    headers: { origin, 'content-type': 'application/json', ...headers },
    signal: AbortSignal.timeout(30_000),
  })
}
