import { afterEach, describe, expect, it, vi } from 'vitest'
import { callApi } from '../web/api/call.ts'
import { client, whenSignedOut } from '../web/api/client.ts'

/** A gateway that refuses a password, and says whether there is a session. */
function gateway(hasSession: boolean): readonly string[] {
  const asked: string[] = []
  const refused = () =>
    Response.json({ title: 'Nobody is signed in by this', status: 401, detail: 'No.' }, { status: 401 })
  vi.stubGlobal('fetch', async (address: string) => {
    asked.push(address)
    return address === '/api/v1/me' && hasSession ? Response.json({}) : refused()
  })
  return asked
}

/** Something that somebody does, and its end. */
async function doing(): Promise<void> {
  const mutation = client
    .getMutationCache()
    .build(client, { mutationFn: () => callApi('POST /password', { body: { password: 'x' } }) })
  await mutation.execute(undefined).catch(() => {})
}

describe('A session', () => {
  afterEach(() => {
    vi.unstubAllGlobals()
    whenSignedOut(() => {})
  })

  it('is not over since a password was wrong', async () => {
    const asked = gateway(true)
    const signedOut = vi.fn()
    whenSignedOut(signedOut)
    await doing()
    await vi.waitFor(() => expect(asked).toEqual(['/api/v1/password', '/api/v1/me']))
    await new Promise((resolve) => setImmediate(resolve))
    expect(signedOut).not.toHaveBeenCalled()
  })

  it('is over where nobody is signed in', async () => {
    gateway(false)
    const signedOut = vi.fn()
    whenSignedOut(signedOut)
    await doing()
    await vi.waitFor(() => expect(signedOut).toHaveBeenCalledOnce())
  })
})
