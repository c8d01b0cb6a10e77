import { z } from 'zod'

/**
 * Roles in an organization: a copy of `Role` from `@headgate/accounts`, so that commands without accounts need not load
 * it.
 */
export const ROLES = ['owner', 'admin', 'member', 'viewer'] as const
const role = z.enum(ROLES)

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** True if credentials are encrypted on the way to the address. */
function isProtected(address: string): boolean {
  // The schema already reports an invalid URL.
  if (!URL.canParse(address)) return true
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || LOOPBACK.includes(hostname)
}

function isPlain(address: string): boolean {
  return !URL.canParse(address) || (!/[?#]/.test(address) && new URL(address).username === '')
}

const ISSUER = 'a URL that begins with https://, or with http:// on this machine'
const PUBLIC = 'a URL without a query, such as https://headgate.example.com'

/** Address of the program for people. */
export const publicUrl = z.url({ protocol: /^https?$/ }).refine(isPlain, { error: ({ input }) => found(input, PUBLIC) })

const oidc = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'up to 32 lower-case letters, digits and dashes')
    .describe('Id of the provider in its paths and linked accounts.'),
  title: z.string().min(1).describe('Name on the sign-in page.'),
  issuer: z
    .url({ protocol: /^https?$/ })
    .refine(isProtected, { error: ({ input }) => found(input, ISSUER) })
    .describe('Issuer URL; the provider serves `/.well-known/openid-configuration` below it.'),
  clientId: z.string().min(1).describe('Client id of this gateway at the provider.'),
  clientSecret: z.string().min(1).exactOptional().describe('Client secret; absent for a public client.'),
  scopes: z
    .array(z.string().min(1))
    .min(1)
    .exactOptional()
    .describe('Requested scopes. Default: `openid`, `email`, `profile`.'),
  groupsClaim: z.string().min(1).exactOptional().describe('Claim that lists the groups of a user. Default: `groups`.'),
  roles: z
    .record(z.string().min(1), role)
    .exactOptional()
    .describe('Group → role; with several groups, the highest role applies. If set, each sign-in updates the role.'),
  defaultRole: role.exactOptional().describe('Role of users in none of these groups. Without it they cannot sign in.'),
})

const smtp = z.strictObject({
  host: z.string().min(1).describe('Mail server.'),
  port: z
    .int()
    .min(1)
    .max(65535)
    .exactOptional()
    .describe('Port of the mail server. Default: 587, or 465 with `secure`.'),
  user: z.string().min(1).exactOptional().describe('User name at the mail server; absent = no authentication.'),
  password: z.string().min(1).exactOptional().describe('Password of `user`.'),
  from: z
    .string()
    .regex(/^[^\r\n]*@[^\r\n]+$/, 'a mail address, such as Headgate <headgate@example.com>')
    .describe('Sender of mails.'),
  secure: z
    .boolean()
    .exactOptional()
    .describe(
      '`true`: TLS from the first byte. `false`: no TLS if the server does not offer it. By default STARTTLS is required.',
    ),
})

/** Accounts. `false` disables them and `/api/v1`. */
export const accounts = z.union([
  z.literal(false),
  z.strictObject({
    publicUrl: publicUrl
      .exactOptional()
      .describe('Public URL of the program. Default: http://localhost. HEADGATE_PUBLIC_URL takes precedence.'),
    signUp: z
      .enum(['invite', 'open'])
      .exactOptional()
      .describe(
        '`invite`: only invited people can create an account. `open`: anyone with a mail address in `domains` can. Default: `invite`.',
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
      .describe('Domains of mail addresses that can sign up. Default: any.'),
    oidc: z
      .array(oidc)
      .min(1)
      .refine((all) => new Set(all.map(({ id }) => id)).size === all.length, 'two providers have the same `id`')
      .exactOptional()
      .describe('OIDC providers for sign-in.'),
    smtp: smtp.exactOptional().describe('Mail server for sending links. Without it, links are shown to be passed on.'),
    privateHosts: z
      .array(z.string().min(1).max(253))
      .max(100)
      .exactOptional()
      .describe(
        'Hosts with private addresses that people can enter on the dashboard, for providers and alerts. Default: none. Owners can make the gateway call every port of these hosts.',
      ),
  }),
])

/** Configuration of accounts, if they are not disabled. */
export type AccountsConfig = Exclude<z.output<typeof accounts>, false>

function found(value: unknown, allowed: string): string {
  return `found ${JSON.stringify(value).slice(0, 80)}; allowed: ${allowed}`
}
