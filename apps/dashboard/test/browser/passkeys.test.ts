import { describe, expect, it, onTestFinished } from 'vitest'
import { claim } from '../../stage/people.ts'
import { startEmpty } from '../../stage/scene.ts'
import { CHROMIUM, useBrowser } from './shown.ts'

describe.runIf(CHROMIUM)('A passkey', { tags: ['full'] }, () => {
  const open = useBrowser()

  it('is a way in without a password', async () => {
    const { program, stop } = await startEmpty()
    onTestFinished(stop)
    const person = await claim(program)
    const { page, context, faults, open: go } = await open(program.origin, { person, allowed: [/status of 401/] })
    const devtools = await context.newCDPSession(page)
    await devtools.send('WebAuthn.enable')
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    await go('/organization')
    // What the page of one's own passkeys does.
    const made = await page.evaluate(async () => {
      const send = async (path: string, body?: object) => {
        const init = {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        }
        const answer = await fetch(`/api/v1${path}`, init)
        return answer.ok ? answer.json() : Promise.reject(new Error(`${path}: ${answer.status} ${await answer.text()}`))
      }
      const { options } = await send('/passkeys/begin', {})
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
      const credential = await navigator.credentials.create({ publicKey })
      if (!(credential instanceof PublicKeyCredential)) throw new Error('No passkey was made.')
      return send('/passkeys', { name: 'This browser', response: credential.toJSON() })
    })
    expect(made).toMatchObject({ name: 'This browser' })

    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    expect((await context.cookies()).filter(({ name }) => name === 'headgate')).toEqual([])
    await page.getByRole('button', { name: /passkey/i }).click()
    await page.getByRole('heading', { level: 1, name: 'Now' }).waitFor()
    expect((await context.cookies()).filter(({ name }) => name === 'headgate')).toMatchObject([
      { httpOnly: true, sameSite: 'Lax' },
    ])
    expect(faults).toEqual([])
  })
})
