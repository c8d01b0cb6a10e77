import { createHmac } from 'node:crypto'
import { type Credential, signed } from '@headgate/core/provider'

/** Lifetime of a token in seconds: half an hour, as in the vendor's example. */
const LIFE_S = 1800
/** Seconds that a token is predated, because clocks differ. */
const EARLY_S = 5

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** Token of an access key, signed with its secret: HS256. */
export function keyPair(accessKey: string, secretKey: string): Credential {
  return signed({
    secrets: [secretKey],
    sign(_request, _material, now) {
      const seconds = Math.floor(now.getTime() / 1000)
      const token = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ iss: accessKey, exp: seconds + LIFE_S, nbf: seconds - EARLY_S })}`
      return { authorization: `Bearer ${token}.${createHmac('sha256', secretKey).update(token).digest('base64url')}` }
    },
  })
}
