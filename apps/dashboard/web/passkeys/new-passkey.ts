import { ask, type BodyOf } from '../api/ask.ts'
import { confirmed } from '../confirm/confirmed.ts'

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
