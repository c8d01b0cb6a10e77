import { configError, problemsOf } from '@headgate/discovery/config'
import { z } from 'zod'
import { readConfigFile } from '../config/file.ts'
import { keyTerms } from '../config/key-terms.ts'
import { price } from '../config/price.ts'
import { budgetList, rateLimit } from '../config/spending.ts'

const name = z.string().min(1).max(200)
const file = z.string().min(1)
const ROLES = ['owner', 'admin', 'member', 'viewer'] as const

const project = z.strictObject({
  name,
  archived: z.boolean().exactOptional().describe('`true`: the project accepts no new keys. Default: `false`.'),
  sharesResponses: z
    .boolean()
    .exactOptional()
    .describe('`true`: all keys of the project can use each other’s stored responses. Default: `false`.'),
})

const key = z.strictObject({
  name: name.describe('Name of the key; unique within its project and environment.'),
  project: name.exactOptional().describe('Name of the project. Default: `default`.'),
  service: z
    .boolean()
    .exactOptional()
    .describe(
      '`true`: a new key belongs to its project. `false`: it belongs to the person whose management key creates it, and works only while this person may use it. Default: `true`.',
    ),
  ...keyTerms,
  limits: rateLimit.exactOptional().describe('Rate limits of the key.'),
  expiresAt: z.iso
    .datetime({ offset: true })
    .exactOptional()
    .describe('End of the key, such as `2027-01-31T00:00:00Z`. Default: never.'),
  secretFile: file
    .exactOptional()
    .describe('New file for the secret of a key that is created. Required then; ignored for an existing key.'),
})

const budget = z
  .strictObject({
    name: name.describe('Name of the budget; unique for its owner.'),
    budget: budgetList.element.describe('Spending limit, such as `100/month`.'),
    project: name
      .exactOptional()
      .describe('Project whose keys the budget restricts; with `key`, the project of the key.'),
    key: name.exactOptional().describe('Key that the budget restricts.'),
    environment: keyTerms.environment.describe('Environment of `key`. Default: `production`.'),
    member: z.email().exactOptional().describe('Mail address of the member whose keys the budget restricts.'),
  })
  .refine(({ member, key, project }) => member === undefined || (key === undefined && project === undefined), {
    error: 'a budget has one owner: `project`, `key`, `member`, or none of them for the organization',
  })

const member = z.strictObject({
  email: z.email().describe('Mail address.'),
  role: z.enum(ROLES),
  linkFile: file
    .exactOptional()
    .describe('New file for the link of an invitation. Needed if the gateway cannot send mail.'),
})

const schema = z.strictObject({
  $schema: z.string().exactOptional(),
  projects: z.array(project).exactOptional(),
  keys: z.array(key).exactOptional(),
  budgets: z.array(budget).exactOptional(),
  members: z.array(member).exactOptional(),
  prices: z
    .record(z.string().regex(/^[^/]+\/.+$/, 'a provider and a model, such as my-vllm/llama-4'), price)
    .exactOptional(),
})

/** Keys, budgets, prices, projects and members as they should be. An absent list is not managed. */
export type Declaration = z.output<typeof schema>
export type DeclaredProject = z.output<typeof project>
export type DeclaredKey = z.output<typeof key>
export type DeclaredBudget = z.output<typeof budget>
export type DeclaredMember = z.output<typeof member>

/** Reads a declaration. @throws HeadgateError that lists all problems of the file */
export async function readDeclaration(path: string): Promise<Declaration> {
  const value = (await readConfigFile(path)) ?? {}
  const result = schema.safeParse(value)
  if (!result.success) throw configError(path, problemsOf(result.error, { schema, value }))
  const repeated = repetitions(result.data)
  if (repeated.length > 0) throw configError(path, repeated)
  return result.data
}

/** Objects that the declaration names twice. */
function repetitions({ projects = [], keys = [], budgets = [], members = [] }: Declaration) {
  const twice = <Item>(list: string, items: readonly Item[], idOf: (item: Item) => readonly unknown[]) => {
    const seen = new Set<string>()
    return items.flatMap((item, index) => {
      const id = JSON.stringify(idOf(item))
      if (seen.has(id)) return [{ path: `${list}[${index}]`, message: 'the file names it twice; remove one of them' }]
      seen.add(id)
      return []
    })
  }
  return [
    ...twice('projects', projects, (one) => [one.name]),
    ...twice('keys', keys, (one) => [one.project ?? 'default', one.environment ?? 'production', one.name]),
    ...twice('budgets', budgets, (one) => [one.member?.toLowerCase(), one.project, one.key, one.environment, one.name]),
    ...twice('members', members, (one) => [one.email.toLowerCase()]),
  ]
}
