import type { EnvironmentSource } from '@headgate/core/provider'
import { HeadgateError } from '@headgate/gateway/ports'
import { z } from 'zod'
import { pathText } from './problems.ts'

const source = z.union([z.string(), z.object({ file: z.string(), default: z.string().exactOptional() })])

/** The field `headgate` of an adapter's package.json, where that says all that decides whether the adapter is used. */
const schema = z.object({
  id: z.string(),
  enable: z.enum(['configured', 'asked', 'last-resort']).default('configured'),
  env: z.record(z.string(), z.array(source)).default({}),
  requires: z.array(z.string()).default([]),
  needs: z.string().optional(),
  probe: z.object({ method: z.literal('GET'), baseUrl: z.string(), url: z.string() }).optional(),
  families: z.array(z.string()).optional(),
})

/** What decides whether an adapter is used, so that one that is not need not be loaded. */
export interface Description {
  readonly id: string
  readonly enable: 'configured' | 'asked' | 'last-resort'
  /** Variables by field, and those that name a file. */
  readonly env: Readonly<Record<string, readonly EnvironmentSource[]>>
  /** Fields that must be given. */
  readonly requires: readonly string[]
  /** What must be given, in words, where no field is needed by itself. */
  readonly needs?: string | undefined
  /** What is asked of the adapter's own address to see whether somebody is there, where nothing else decides. */
  readonly probe?: { readonly method: 'GET'; readonly baseUrl: string; readonly url: string } | undefined
  /** Of a last resort: what it can be asked for. */
  readonly families?: readonly string[] | undefined
}

type SelfDescribed = Pick<Description, 'env'> & Partial<Pick<Description, 'enable'>> & { readonly config: z.ZodType }

/**
 * What a package.json says; undefined = the adapter itself has to be asked. @throws HeadgateError that names the field.
 */
export function readDescription(field: unknown, file: string): Description | undefined {
  if (typeof field !== 'object' || field === null || !('id' in field)) return undefined
  const { data, error } = schema.safeParse(field)
  if (data) return data
  const [issue] = error.issues
  const path = pathText(['headgate', ...(issue?.path ?? [])])
  throw new HeadgateError(
    'invalid-request',
    `${file}: ${path}: ${issue?.message}. Write what the adapter says, or leave out headgate.id.`,
  )
}

/** What an adapter says of itself before it is configured. */
export function descriptionOf(id: string, { enable = 'configured', env, config }: SelfDescribed): Description {
  const issues = config.safeParse({}).error?.issues ?? []
  const requires = issues.filter(({ path }) => path.length > 0).map(({ path }) => pathText(path))
  const needs = issues.find(({ path }) => path.length === 0)?.message
  return { id, enable, env, requires, ...(needs !== undefined && { needs }) }
}
