import { z } from 'zod'

/**
 * What people of an organization may be: `Role` of @headgate/accounts, which a command that needs none does not load.
 */
export const ROLES = ['owner', 'admin', 'member', 'viewer'] as const
const role = z.enum(ROLES)

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Sign-in that anybody may read is none. */
function isProtected(address: string): boolean {
  // What is no URL is told of already.
  if (!URL.canParse(address)) return true
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || LOOPBACK.includes(hostname)
}

function isPlain(address: string): boolean {
  return !URL.canParse(address) || (!/[?#]/.test(address) && new URL(address).username === '')
}

const ISSUER = 'a URL that begins with https://, or with http:// on this machine'
const PUBLIC = 'a URL without a query, such as https://headgate.example.com'

/** Where people reach the program. */
export const publicUrl = z.url({ protocol: /^https?$/ }).refine(isPlain, { error: ({ input }) => found(input, PUBLIC) })

const oidc = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'up to 32 lower-case letters, digits and dashes')
    .describe('What its paths and the accounts that come by it are known by.'),
  title: z.string().min(1).describe('What the sign-in page calls it.'),
  issuer: z
    .url({ protocol: /^https?$/ })
    .refine(isProtected, { error: ({ input }) => found(input, ISSUER) })
    .describe('Its address, below which `/.well-known/openid-configuration` lies.'),
  clientId: z.string().min(1).describe('What it calls this gateway.'),
  clientSecret: z.string().min(1).exactOptional().describe('Absent of a public client.'),
  scopes: z
    .array(z.string().min(1))
    .min(1)
    .exactOptional()
    .describe('What it is asked for; `openid`, `email`, `profile`.'),
  groupsClaim: z.string().min(1).exactOptional().describe('The claim that lists the groups of somebody; `groups`.'),
  roles: z
    .record(z.string().min(1), role)
    .exactOptional()
    .describe('Group → role, of several the highest. Where it is given, each sign-in sets the role anew.'),
  defaultRole: role
    .exactOptional()
    .describe('What people become who are in none of these groups; without it they get no account.'),
})

const smtp = z.strictObject({
  host: z.string().min(1).describe('The server that takes mail.'),
  port: z.int().min(1).max(65535).exactOptional().describe('587; 465 with `secure`.'),
  user: z.string().min(1).exactOptional().describe('Who signs in there; absent = nobody does.'),
  password: z.string().min(1).exactOptional().describe('The password of `user`.'),
  from: z
    .string()
    .regex(/^[^\r\n]*@[^\r\n]+$/, 'a mail address, such as Headgate <headgate@example.com>')
    .describe('Whom mail is from.'),
  secure: z
    .boolean()
    .exactOptional()
    .describe(
      '`true`: TLS from the first byte. `false`: without TLS where the server offers none. By default STARTTLS has to succeed.',
    ),
})

/** People: `false` takes them away, and `/api/v1` with them. */
export const accounts = z.union([
  z.literal(false),
  z.strictObject({
    publicUrl: publicUrl
      .exactOptional()
      .describe('Where people reach the program, if that is not http://localhost. HEADGATE_PUBLIC_URL wins over it.'),
    signUp: z
      .enum(['invite', 'open'])
      .exactOptional()
      .describe(
        'Who may make an account: those who are invited, or whoever has a mail address of `domains`; `invite`.',
      ),
    domains: z
      .array(
        z
          .string()
          .toLowerCase()
          .regex(/^(?=.{1,253}$)[^\s@/:]+\.[^\s@/:]+$/, 'a domain, such as example.com'),
      )
      .min(1)
      .max(100)
      .exactOptional()
      .describe('Domains of the mail addresses that may sign up; any.'),
    oidc: z
      .array(oidc)
      .min(1)
      .refine((all) => new Set(all.map(({ id }) => id)).size === all.length, 'two of them have the same `id`')
      .exactOptional()
      .describe('OIDC providers that people may sign in by.'),
    smtp: smtp.exactOptional().describe('How mail is sent. Without it links are shown, to be handed on.'),
  }),
])

/** Everything of it but `false`. */
export type AccountsConfig = Exclude<z.output<typeof accounts>, false>
export type SmtpConfig = z.output<typeof smtp>

function found(value: unknown, allowed: string): string {
  return `found ${JSON.stringify(value).slice(0, 80)}; allowed: ${allowed}`
}
