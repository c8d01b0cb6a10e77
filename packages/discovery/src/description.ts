import type { EnvironmentSource } from '@headgate/core/provider'
import { HeadgateError } from '@headgate/gateway/ports'
import { z } from 'zod'
import { pathText } from './problems.ts'

const source = z.union([z.string(), z.object({ file: z.string(), default: z.string().exactOptional() })])

/** Field `headgate` of an adapter's package.json, if it describes when the adapter is enabled. */
const schema = z.object({
  id: z.string(),
  enable: z.enum(['configured', 'asked', 'last-resort']).default('configured'),
  env: z.record(z.string(), z.array(source)).default({}),
  requires: z.array(z.string()).default([]),
  needs: z.string().optional(),
  probe: z.object({ method: z.literal('GET'), baseUrl: z.string(), url: z.string() }).optional(),
  families: z.array(z.string()).optional(),
})

/** Conditions under which an adapter is enabled. Disabled adapters need not be loaded. */
export interface Description {
  readonly id: string
  readonly enable: 'configured' | 'asked' | 'last-resort'
  /** Variables by field, including variables that name a file. */
  readonly env: Readonly<Record<string, readonly EnvironmentSource[]>>
  /** Required fields. */
  readonly requires: readonly string[]
  /** Requirement as text, if no single field is required. */
  readonly needs?: string | undefined
  /** Request that checks whether a server responds at the adapter's default address, if nothing else decides. */
  readonly probe?: { readonly method: 'GET'; readonly baseUrl: string; readonly url: string } | undefined
  /** Families of a last-resort adapter. */
  readonly families?: readonly string[] | undefined
}

type SelfDescribed = Pick<Description, 'env'> & Partial<Pick<Description, 'enable'>> & { readonly config: z.ZodType }

/**
 * Description in a package.json; undefined = the adapter must be loaded. @throws HeadgateError that names the field.
 */
export function readDescription(field: unknown, file: string): Description | undefined {
  if (typeof field !== 'object' || field === null || !('id' in field)) return undefined
  const { data, error } = schema.safeParse(field)
  if (data) return data
  const [issue] = error.issues
  const path = pathText(['headgate', ...(issue?.path ?? [])])
  throw new HeadgateError(
    'invalid-request',
    `${file}: ${path}: ${issue?.message}. Copy the values of the adapter, or omit headgate.id.`,
  )
}

/** Description of a loaded adapter. */
export function descriptionOf(id: string, { enable = 'configured', env, config }: SelfDescribed): Description {
  const issues = config.safeParse({}).error?.issues ?? []
  const requires = issues.filter(({ path }) => path.length > 0).map(({ path }) => pathText(path))
  const needs = issues.find(({ path }) => path.length === 0)?.message
  return { id, enable, env, requires, ...(needs !== undefined && { needs }) }
}
