import { HeadgateError } from '@headgate/gateway/ports'
import { z } from 'zod'

/** Problem with one field: its path, the found value and the allowed ones. */
export interface ConfigProblem {
  readonly path: string
  readonly message: string
}

export interface ProblemContext {
  readonly schema: z.ZodType
  /** Validated value. */
  readonly value: unknown
  /** Path of the value within the file; empty for the whole file. */
  readonly at?: readonly PropertyKey[]
  /** Path within the file of a path within the value. Default: the path below `at`. */
  pathOf?(path: readonly PropertyKey[]): readonly PropertyKey[]
  /** Additional fields allowed at the top level, or a function that returns them for an unknown field. */
  readonly also?: readonly string[] | ((field: string) => readonly string[])
  /** Messages for removed fields, by path. */
  readonly gone?: Readonly<Record<string, string>>
  /** True if the found value is secret and must not be shown. */
  readonly secret?: (path: readonly PropertyKey[]) => boolean
}

type Issue = z.core.$ZodIssue

interface ListedProblems {
  /** Subject of the message, such as `The configuration`. */
  readonly source: string
  readonly problems: readonly ConfigProblem[]
}

/** Problems listed by errors. */
const listed = new WeakMap<HeadgateError, ListedProblems>()

/** Configuration error with one problem per line. */
export function configError(source: string, problems: readonly ConfigProblem[]): HeadgateError {
  const lines = problems.map(({ path, message }) => `  ${path === '' ? '' : `${path}: `}${message}`)
  const error = new HeadgateError('invalid-request', `${source} is wrong:\n${lines.join('\n')}`, {
    param: problems[0]?.path,
  })
  listed.set(error, { source, problems })
  return error
}

/** Problems listed by a configuration error. */
export function problemsIn(error: HeadgateError): readonly ConfigProblem[] {
  return listed.get(error)?.problems ?? [{ path: '', message: error.message }]
}

/** Combines errors into a single error with all their problems. A bug is returned unchanged. */
export function together(errors: readonly unknown[]): unknown {
  const other = errors.find((error) => !HeadgateError.is(error))
  if (other !== undefined) return other
  const found = errors.filter(HeadgateError.is)
  const sources = new Set(found.map((error) => listed.get(error)?.source ?? 'The configuration'))
  const [source = ''] = sources
  const problems = new Map(found.flatMap(problemsIn).map((one) => [`${one.path}\n${one.message}`, one]))
  return configError(sources.size === 1 ? source : 'The configuration or environment', [...problems.values()])
}

/** Like `Promise.all`, but waits for all promises and rejects with one error that lists all problems. */
export async function everyOf<T extends readonly unknown[] | []>(
  running: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const settled = await Promise.allSettled(running)
  const failed = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  if (failed.length > 1) throw together(failed)
  return Promise.all(running)
}

/** Problems for the issues of zod, in terms of the configuration. */
export function problemsOf(error: z.ZodError, context: ProblemContext): ConfigProblem[] {
  return error.issues.flatMap((issue) => problemsOfIssue(issue, [], context))
}

export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`
    const name = String(key)
    if (!/^[\w$-]+$/.test(name)) return `${text}[${JSON.stringify(name)}]`
    return text === '' ? name : `${text}.${name}`
  }, '')
}

/** Value at a path; undefined if it does not exist. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    value,
  )
}

function problemsOfIssue(issue: Issue, base: readonly PropertyKey[], context: ProblemContext): ConfigProblem[] {
  const local = [...base, ...issue.path]
  const path = fullPath(context, local)
  const problem = (message: string): ConfigProblem[] => [{ path: pathText(path), message }]

  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => {
        const allowed = allowedFields(context, local, key)
        const field = pathText(fullPath(context, [...local, key]))
        const unknown = `unknown field${allowed.length > 0 ? `; allowed: ${allowed.join(', ')}` : ''}`
        return { path: field, message: context.gone?.[field] ?? unknown }
      })
    case 'invalid_union':
      return (
        unionProblems(issue, local, context) ??
        problem(`${foundText(context, local, path)}; allowed: ${unionText(issue)}`)
      )
    case 'invalid_key':
      return problem(`this name is not allowed; allowed: ${issue.issues.map(({ message }) => message).join(', ')}`)
    case 'custom':
      return problem(issue.message)
    default:
      return problem(`${foundText(context, local, path)}; allowed: ${allowedText(issue)}`)
  }
}

/** Issue codes of a value that does not belong to a branch. */
const OTHER_BRANCH: readonly string[] = ['invalid_type', 'invalid_value']

/** Problems of the best matching branch: its outer type matches. */
function unionProblems(
  issue: Extract<Issue, { code: 'invalid_union' }>,
  local: readonly PropertyKey[],
  context: ProblemContext,
): ConfigProblem[] | undefined {
  const inner = issue.errors.find((issues) =>
    issues.every(({ path, code }) => path.length > 0 || !OTHER_BRANCH.includes(code)),
  )
  return inner?.flatMap((one) => problemsOfIssue(one, local, context))
}

function unionText(issue: Extract<Issue, { code: 'invalid_union' }>): string {
  return [...new Set(issue.errors.flatMap((issues) => issues.slice(0, 1).map(allowedText)))].join(' or ')
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  undefined: 'nothing',
  null: 'null',
}

function allowedText(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPE_NAMES[issue.expected] ?? issue.expected
    case 'invalid_value':
      return issue.values.map((value) => JSON.stringify(value)).join(', ')
    case 'too_big':
      return `at most ${issue.maximum}${unitOf(issue.origin)}`
    case 'too_small':
      return `at least ${issue.minimum}${unitOf(issue.origin)}`
    case 'invalid_format':
      return issue.message === 'Invalid URL' ? `a URL that begins with ${WEB}` : issue.message
    default:
      return issue.message
  }
}

/** Allowed URL schemes if the schema does not restrict them. */
const WEB = 'http:// or https://'

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters'
  return origin === 'array' ? ' entries' : ''
}

function foundText(context: ProblemContext, local: readonly PropertyKey[], path: readonly PropertyKey[]): string {
  const value = valueAt(context.value, local)
  if (value === undefined) return 'is missing'
  if (value === null) return 'found null'
  if (Array.isArray(value)) return 'found a list'
  if (typeof value === 'object') return 'found an object'
  if (context.secret?.(path) ?? false) return `found ${TYPE_NAMES[typeof value] ?? typeof value}`
  return `found ${JSON.stringify(value).slice(0, 80)}`
}

function fullPath({ at = [], pathOf }: ProblemContext, local: readonly PropertyKey[]): readonly PropertyKey[] {
  return pathOf ? pathOf(local) : [...at, ...local]
}

/** Fields that the schema allows at a path, instead of an unknown field. */
function allowedFields(
  { schema, value, also = [] }: ProblemContext,
  path: readonly PropertyKey[],
  unknown: string,
): string[] {
  const root = jsonSchema(schema)
  const node = path.reduce<JsonSchema | undefined>(
    (at, key, depth) => below(at, key, valueAt(value, path.slice(0, depth + 1))),
    root,
  )
  const fields = fieldsOf(node)
  if (path.length > 0) return fields
  return [...(typeof also === 'function' ? also(unknown) : also), ...fields]
}

/** True if a schema of an object has a field. */
export function hasField(schema: z.ZodType, field: string): boolean {
  return fieldsOf(jsonSchema(schema)).includes(field)
}

function fieldsOf(node: JsonSchema | undefined): string[] {
  return Object.keys(node?.properties ?? {}).filter((field) => field !== '$schema')
}

interface JsonSchema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: JsonSchema | boolean
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
}

function jsonSchema(schema: z.ZodType): JsonSchema {
  try {
    return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  } catch {
    return {}
  }
}

function below(schema: JsonSchema | undefined, key: PropertyKey, value: unknown): JsonSchema | undefined {
  const additional = typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined
  const next = typeof key === 'number' ? schema?.items : (schema?.properties?.[String(key)] ?? additional)
  const type = Array.isArray(value) ? 'array' : typeof value
  return next?.anyOf?.find((one) => one.type === type) ?? next
}
