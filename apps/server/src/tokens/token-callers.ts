import { createHash } from 'node:crypto'
import { HeadgateError, type Principal } from '@headgate/gateway'
import { isRestricted, rightsOf } from '@headgate/gateway/ports'
import {
  type Authentication,
  type ConfiguredPrincipal,
  DEFAULT_ENVIRONMENT,
  DEFAULT_ORGANIZATION,
} from '@headgate/store'
import { decodeJwt, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { TokenGrant, TokenIssuer } from '../config/tokens.ts'
import { createIssuerKeys } from './issuer-keys.ts'

/** Maximum length of a token in characters. */
const MAX_LENGTH = 16_384
/** Maximum time until the end of a token, in seconds. */
const MAX_LIFE_S = 86_400
/** Difference of clocks that is allowed for the begin of a token, in seconds. Its end is exact. */
const TOLERANCE_S = 30
/** Time for which a verified token is not verified again, in milliseconds. */
const VERIFIED_MS = 60_000
/** Maximum number of verified tokens. */
const MAX_VERIFIED = 10_000
/** Maximum length of a subject in characters. */
const MAX_SUBJECT = 200
/** Three parts in base64url, of which the first is an object in JSON. */
const TOKEN = /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/
const ALGORITHMS = ['RS256', 'ES256']

export interface TokenCallersOptions {
  readonly issuers: readonly TokenIssuer[]
  /** Folder that relative paths begin at. */
  readonly folder: string
  /** Stores the owner of usage before its first request. */
  record(principal: ConfiguredPrincipal): Promise<void>
  onWarning(message: string): void
  /** Clock in Unix milliseconds. Default: the clock of the process. */
  readonly now?: (() => number) | undefined
}

interface VerifiedToken {
  readonly principal: Principal
  /** Times in Unix milliseconds. */
  readonly endsAt: number
  readonly verifiedAt: number
}

interface KnownIssuer extends TokenIssuer {
  readonly keys: JWTVerifyGetKey
}

/**
 * Authenticates callers by JSON Web Tokens of configured issuers, and all others by `next`. Tokens grant no scopes.
 * @throws HeadgateError `bad-key` with the reason, `unavailable` if the keys of the issuer cannot be read
 */
export function authenticateTokens(options: TokenCallersOptions, next: Authentication): Authentication {
  const { issuers, folder, onWarning, now = Date.now } = options
  const known = new Map(
    issuers.map((issuer) => [
      issuer.issuer,
      { ...issuer, keys: createIssuerKeys({ issuer, folder, onWarning, now }) } satisfies KnownIssuer,
    ]),
  )
  const verified = new Map<string, VerifiedToken>()
  const recorded = new Map<string, string>()

  const verify = async (token: string, hash: string): Promise<Principal> => {
    const payload = await payloadOf(token, known, now())
    const { grants, issuer } = known.get(payload.iss ?? '') as KnownIssuer
    const grant = grants.find(({ claims }) => Object.entries(claims).every((claim) => hasClaim(payload, claim)))
    if (!grant) throw refused('has no claims that the configuration grants rights for')
    const principal = principalOf(issuer, subjectOf(payload), grant)
    await recordOnce(principal, recorded, options)
    makeSpace(verified)
    verified.set(hash, { principal, endsAt: (payload.exp ?? 0) * 1_000, verifiedAt: now() })
    return principal
  }

  return (credential) => {
    if (!credential.startsWith('eyJ') || credential.length > MAX_LENGTH || !TOKEN.test(credential))
      return next(credential)
    const hash = createHash('sha256').update(credential).digest('base64url')
    const one = verified.get(hash)
    if (one && now() < one.endsAt && now() - one.verifiedAt < VERIFIED_MS) return one.principal
    verified.delete(hash)
    return verify(credential, hash)
  }
}

async function payloadOf(token: string, issuers: ReadonlyMap<string, KnownIssuer>, at: number): Promise<JWTPayload> {
  const issuer = issuers.get(issuerOf(token) ?? '')
  if (!issuer) throw refused('has no issuer that the configuration names')
  try {
    const { payload } = await jwtVerify(token, issuer.keys, {
      issuer: issuer.issuer,
      audience: issuer.audience,
      algorithms: issuer.algorithms ?? ALGORITHMS,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: TOLERANCE_S,
      currentDate: new Date(at),
    })
    const endsInS = (payload.exp ?? 0) - at / 1_000
    if (endsInS <= 0) throw refused('has expired')
    if (endsInS > MAX_LIFE_S) throw refused('is valid for more than 24 hours')
    return payload
  } catch (error) {
    if (HeadgateError.is(error)) throw error
    throw refused(reasonOf(error))
  }
}

function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss
  } catch {
    return undefined
  }
}

/** Reason in words, without any value of the token. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'has expired'
  if (error instanceof errors.JWTClaimValidationFailed) return `has an invalid claim "${error.claim}"`
  if (error instanceof errors.JOSEAlgNotAllowed) return 'has a signature algorithm that is not allowed'
  if (error instanceof errors.JWKSNoMatchingKey) return 'is signed with an unknown key'
  return 'has no valid signature'
}

function subjectOf({ sub = '' }: JWTPayload): string {
  if (sub === '' || sub.length > MAX_SUBJECT) throw refused(`needs a claim "sub" with 1 to ${MAX_SUBJECT} characters`)
  return sub
}

/** True if a claim has a value, or contains it. */
function hasClaim(payload: JWTPayload, [name, value]: readonly [string, string]): boolean {
  const found = Object.hasOwn(payload, name) ? payload[name] : claimInside(payload, name)
  return Array.isArray(found) ? found.includes(value) : found === value
}

function claimInside(payload: JWTPayload, name: string): unknown {
  // The names of Kubernetes, such as `kubernetes.io`, have dots themselves: the longest name that exists is taken.
  const visit = (node: unknown, rest: string): unknown => {
    if (rest === '') return node
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return undefined
    const part = Object.keys(node)
      .filter((one) => rest === one || rest.startsWith(`${one}.`))
      .sort((one, other) => other.length - one.length)[0]
    return part === undefined ? undefined : visit(Reflect.get(node, part), rest.slice(part.length + 1))
  }
  return visit(payload, name)
}

/** Principal of a subject. Its id does not reveal the subject, and is the same for all of its tokens. */
function principalOf(
  issuer: string,
  subject: string,
  { project, environment, limits, claims: _, ...rights }: TokenGrant,
) {
  const digest = createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('base64url')
  return {
    id: `token_${digest.slice(0, 16)}`,
    name: subject,
    ...(!isRestricted(rights) && { models: ['*'], search: ['*'] }),
    ...rightsOf(rights),
    environment: environment ?? DEFAULT_ENVIRONMENT,
    owners: { project, organization: DEFAULT_ORGANIZATION },
    ...(limits && { limits }),
  } satisfies Principal
}

/** Stores the owner of usage once. The request is served even if the store does not accept it. */
async function recordOnce(
  { id, name, owners, environment }: ReturnType<typeof principalOf>,
  recorded: Map<string, string>,
  { record, onWarning }: TokenCallersOptions,
): Promise<void> {
  const { project } = owners
  const text = `${project} ${environment}`
  if (recorded.get(id) === text) return
  try {
    await record({ id, name, project, environment })
    makeSpace(recorded)
    recorded.set(id, text)
  } catch (error) {
    onWarning(`The owner ${id} of usage is not stored: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Removes the oldest entry of a full map. */
function makeSpace(map: Map<string, unknown>): void {
  if (map.size < MAX_VERIFIED) return
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}

function refused(reason: string): HeadgateError {
  return new HeadgateError('bad-key', `The token ${reason}.`)
}
