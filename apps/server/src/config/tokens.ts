import { z } from 'zod'
import { keyTerms } from './key-terms.ts'
import { rateLimit } from './spending.ts'

/** Signature algorithms with a public key. Others would let anyone who knows the key sign. */
export const TOKEN_ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA'],
] as const

const file = z.string().min(1)
const claimValue = z.string().min(1)

const { scopes: _, ...callerTerms } = keyTerms

const grant = z.strictObject({
  claims: z
    .record(z.string().min(1), claimValue)
    .refine((claims) => Object.keys(claims).length > 0, 'at least one claim')
    .describe(
      'Claims that a token must have, by name: the value is equal, or one of the values of a list. A name with dots, such as `kubernetes.io.namespace`, leads into objects if no claim has the whole name.',
    ),
  project: z.string().min(1).describe('Project of the callers: its budgets and limits apply to them together.'),
  ...callerTerms,
  limits: rateLimit.exactOptional().describe('Rate limits of each subject.'),
})

const issuer = z
  .strictObject({
    issuer: z.string().min(1).describe('Exact value of the claim `iss`.'),
    audience: z.string().min(1).describe('Value that the claim `aud` must have or contain.'),
    jwks: z
      .url({ protocol: /^https?$/ })
      .exactOptional()
      .describe('URL of the public keys of the issuer. Tokens cannot name another one.'),
    jwksFile: file.exactOptional().describe('File with the public keys of the issuer instead of `jwks`.'),
    ca: file
      .exactOptional()
      .describe('File with the certificates of the authorities that `jwks` is checked against, in PEM.'),
    bearerFile: file.exactOptional().describe('File with a token that is sent to `jwks`. It is read for each call.'),
    algorithms: z
      .array(z.enum(TOKEN_ALGORITHMS))
      .min(1)
      .exactOptional()
      .describe('Allowed signature algorithms. Default: `RS256` and `ES256`.'),
    grants: z
      .array(grant)
      .min(1)
      .describe('Rights by claims. The first grant whose claims a token has applies; a token without one gets a 401.'),
  })
  .refine(({ jwks, jwksFile }) => (jwks === undefined) !== (jwksFile === undefined), {
    error: 'name either `jwks` or `jwksFile`',
  })

/** Issuers of tokens that callers can send instead of an API key. */
export const tokens = z.array(issuer).min(1)

export type TokenIssuer = z.output<typeof issuer>
export type TokenGrant = z.output<typeof grant>
