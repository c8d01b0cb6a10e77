import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'

/** How an authenticator, or the browser before it, behaves otherwise. */
export interface Oddities {
  /** Where the browser says it is. */
  readonly origin?: string
  readonly challenge?: string
  readonly type?: string
  readonly rpId?: string
  /** Whether it has not asked who is there, by a finger or a PIN. */
  readonly isUnverified?: boolean
  /** What it counts; default one more than the last time. */
  readonly counter?: number
  readonly key?: KeyObject
  readonly userHandle?: string
  readonly credential?: string
}

/** An authenticator in software (Web Authentication Level 3): ES256, attestation `none`. */
export interface Authenticator {
  readonly id: string
  register(options: PublicKeyCredentialCreationOptionsJSON, odd?: Oddities): RegistrationResponseJSON
  answer(options: PublicKeyCredentialRequestOptionsJSON, odd?: Oddities): AuthenticationResponseJSON
}

/** Flags of authenticator data: present, verified, with a credential. */
const FLAGS = { present: 0x01, verified: 0x04, credential: 0x40 }

export function createAuthenticator(origin: string): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credential = randomBytes(32)
  const id = credential.toString('base64url')
  const rpId = new URL(origin).hostname
  let counter = 0
  let owner: string | undefined

  const clientData = (type: string, challenge: string, odd: Oddities): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: odd.type ?? type,
        challenge: odd.challenge ?? challenge,
        origin: odd.origin ?? origin,
        crossOrigin: false,
      }),
    )
  const data = (odd: Oddities, attested: Buffer): Buffer => {
    counter = odd.counter ?? counter + 1
    const flags = FLAGS.present | (odd.isUnverified ? 0 : FLAGS.verified) | (attested.length > 0 ? FLAGS.credential : 0)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(Buffer.from(odd.rpId ?? rpId)), Buffer.from([flags]), count, attested])
  }

  return {
    id,
    register({ challenge, user }, odd = {}) {
      owner = user.id
      const length = Buffer.alloc(2)
      length.writeUInt16BE(credential.length)
      const attested = Buffer.concat([Buffer.alloc(16), length, credential, coseKey(publicKey)])
      const attestation = cborMap([
        [cborText('fmt'), cborText('none')],
        [cborText('attStmt'), cborMap([])],
        [cborText('authData'), cborBytes(data(odd, attested))],
      ])
      return {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientData('webauthn.create', challenge, odd).toString('base64url'),
          attestationObject: attestation.toString('base64url'),
          transports: ['internal'],
        },
      }
    },
    answer({ challenge }, odd = {}) {
      const authenticatorData = data(odd, Buffer.alloc(0))
      const clientDataJSON = clientData('webauthn.get', challenge, odd)
      const signed = Buffer.concat([authenticatorData, sha256(clientDataJSON)])
      const name = odd.credential ?? id
      return {
        id: name,
        rawId: name,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientDataJSON.toString('base64url'),
          authenticatorData: authenticatorData.toString('base64url'),
          signature: sign('sha256', signed, odd.key ?? privateKey).toString('base64url'),
          userHandle: odd.userHandle ?? owner ?? '',
        },
      }
    },
  }
}

/** A key as COSE has it (RFC 9053): EC2, ES256, P-256. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  return cborMap([
    [cborInt(1), cborInt(2)],
    [cborInt(3), cborInt(-7)],
    [cborInt(-1), cborInt(1)],
    [cborInt(-2), cborBytes(Buffer.from(x, 'base64url'))],
    [cborInt(-3), cborBytes(Buffer.from(y, 'base64url'))],
  ])
}

function cborHead(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value])
  return value < 256
    ? Buffer.from([(major << 5) | 24, value])
    : Buffer.from([(major << 5) | 25, value >> 8, value & 255])
}

function cborInt(value: number): Buffer {
  return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value)
}

function cborBytes(bytes: Buffer): Buffer {
  return Buffer.concat([cborHead(2, bytes.length), bytes])
}

function cborText(text: string): Buffer {
  return Buffer.concat([cborHead(3, text.length), Buffer.from(text)])
}

function cborMap(entries: readonly (readonly [Buffer, Buffer])[]): Buffer {
  return Buffer.concat([cborHead(5, entries.length), ...entries.flat()])
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}
