import { generateKeyPairSync } from 'node:crypto'

/** The key file of a service account, with a key of its own. */
export function keyFile(): string {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  return JSON.stringify({ type: 'service_account', client_email: 'gateway@p.iam.example', private_key: privateKey })
}
