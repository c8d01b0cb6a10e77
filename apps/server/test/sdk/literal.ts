import { API_KEY } from './gateway.ts'

/** An answer as plain HTTP has it. */
export interface Got {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** A request as it stands in a manual: a path, and a body letter by letter. */
export async function send(
  url: string,
  path: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Got> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json', ...headers },
    body,
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
