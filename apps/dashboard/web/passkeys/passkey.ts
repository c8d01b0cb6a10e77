import { type BodyOf, callApi } from '../api/call.ts'
import { UserError } from '../api/problem.ts'
import { confirmed } from '../confirm/confirmed.ts'

/** Returns whether the browser supports passkeys for this address. IP addresses cannot have passkeys. */
export function hasPasskeys(): boolean {
  return (
    typeof PublicKeyCredential === 'function' &&
    'parseRequestOptionsFromJSON' in PublicKeyCredential &&
    !/^[\d.[\]:]+$/.test(location.hostname)
  )
}

type PasskeyResponse = BodyOf<'POST /passkeys/sign-in'>['response']

/** Signs a challenge with a passkey of the user. @throws DOMException if the user declines */
export async function signWithPasskey(): Promise<PasskeyResponse> {
  const { options } = await callApi('POST /passkeys/ask')
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  )
  const credential = await navigator.credentials.get({ publicKey })
  if (!(credential instanceof PublicKeyCredential)) throw new UserError('The browser returned no passkey.')
  return credential.toJSON() as PasskeyResponse
}

/** Returns whether the user canceled the dialog of the browser. */
export function isDeclined(error: unknown): boolean {
  return error instanceof DOMException && (error.name === 'NotAllowedError' || error.name === 'AbortError')
}

type Registration = BodyOf<'POST /passkeys'>['response']

/** Creates a passkey for the user, who confirms their identity first. @throws DOMException if the user declines */
export async function addPasskey(name: string): Promise<void> {
  const { options } = await confirmed(() => callApi('POST /passkeys/begin'))
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  )
  const credential = await navigator.credentials.create({ publicKey })
  if (!(credential instanceof PublicKeyCredential)) throw new UserError('The browser created no passkey.')
  await callApi('POST /passkeys', { body: { name, response: credential.toJSON() as unknown as Registration } })
}
