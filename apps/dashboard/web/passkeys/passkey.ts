import { ask, type BodyOf } from '../api/ask.ts'
import { confirmed } from '../confirm/confirmed.ts'

/** Whether this browser has passkeys, and they have a place where the page lies: an address in digits is none. */
export function hasPasskeys(): boolean {
  return (
    typeof PublicKeyCredential === 'function' &&
    'parseRequestOptionsFromJSON' in PublicKeyCredential &&
    !/^[\d.[\]:]+$/.test(location.hostname)
  )
}

type Answer = BodyOf<'POST /passkeys/sign-in'>['response']

/** Has the browser ask its owner for a passkey. @throws what the browser says where they decline. */
export async function answerByPasskey(): Promise<Answer> {
  const { options } = await ask('POST /passkeys/ask')
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  )
  const credential = await navigator.credentials.get({ publicKey })
  if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser gave no passkey.')
  return credential.toJSON() as Answer
}

/** Whether somebody has only changed their mind. */
export function isDeclined(error: unknown): boolean {
  return error instanceof DOMException && (error.name === 'NotAllowedError' || error.name === 'AbortError')
}

type Registration = BodyOf<'POST /passkeys'>['response']

/**
 * Has the browser make a passkey for who is signed in, who shows first who they are. @throws what the browser says
 * where they decline.
 */
export async function addPasskey(name: string): Promise<void> {
  const { options } = await confirmed(() => ask('POST /passkeys/begin'))
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  )
  const credential = await navigator.credentials.create({ publicKey })
  if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser made no passkey.')
  await ask('POST /passkeys', { body: { name, response: credential.toJSON() as unknown as Registration } })
}
