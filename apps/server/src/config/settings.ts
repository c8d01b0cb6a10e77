import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, resolve } from 'node:path'
import { type ConfigProblem, configError, problemsOf } from '@headgate/discovery/config'
import { redisUrlProblem } from '@headgate/fleet'
import type { StoreOptions } from '@headgate/store'
import {
  conventionsOf,
  type Dialect,
  type LogExportSettings,
  logSettings,
  type MetricSettings,
  metricSettings,
  type TraceSettings,
  traceSettings,
} from '@headgate/telemetry'
import { z } from 'zod'
import { telemetryVariables } from '../telemetry/variables.ts'
import { publicUrl } from './accounts.ts'
import type { Dotenv } from './dotenv.ts'
import { findConfigFile, readConfigFile } from './file.ts'
import { configSchema, GONE, type KeyConfig, type LogLevel } from './schema.ts'
import { type Environment, substitute } from './substitution.ts'

/** Flags of the command line, which take precedence over all other settings. */
export interface Flags {
  readonly config?: string | undefined
  readonly dataDir?: string | undefined
  readonly port?: string | undefined
  readonly host?: string | undefined
  readonly logLevel?: string | undefined
  readonly workers?: string | undefined
}

export interface LoadedFile {
  /** SHA-256 of the file in hexadecimal digits. */
  readonly checksum: string
  /** Unix milliseconds. */
  readonly at: number
  /** Absolute paths of the secret files that it refers to. */
  readonly secretFiles: readonly string[]
}

/** All settings. Precedence: flags, environment, file, defaults. */
export interface Settings {
  /** Configuration file, if any. */
  readonly file?: string
  /** State of the configuration file when it was read, if there is a file. */
  readonly loaded?: LoadedFile
  readonly config: z.output<typeof configSchema>
  readonly port: number
  readonly host: string
  /** Number of worker processes. */
  readonly workers: number
  /** Absolute path of the data directory. */
  readonly dataDir: string
  /** Postgres URL, if the store is in Postgres. */
  readonly databaseUrl?: string
  /** URL of Redis, if nodes share rate limits through it. */
  readonly redisUrl?: string
  readonly logLevel: LogLevel
  readonly publicUrl?: string
  readonly keys: readonly KeyConfig[]
  /** Export of traces; absent = off. */
  readonly traceExport?: TraceSettings | undefined
  /** Export of log records; absent = no receiver. */
  readonly logExport?: LogExportSettings | undefined
  /** Export of metrics; absent = off. */
  readonly metricExport?: MetricSettings | undefined
  /** Conventions of names in metrics. Default: `1.41`. */
  readonly conventions?: Dialect | undefined
}

export interface Surroundings {
  /** Current working directory of the command. */
  readonly folder: string
  readonly environment: Environment
  /** `.env` file that set part of the environment. */
  readonly dotenv?: Dotenv
}

/** Data directory, for commands that read no configuration. */
export function dataDirectory(flags: Flags, { folder, environment }: Surroundings): string {
  return resolve(folder, flags.dataDir || environment['HEADGATE_DATA_DIR'] || '.headgate')
}

/**
 * Location of the store, for commands that read no configuration. @throws HeadgateError if `DATABASE_URL` is invalid.
 */
export function placeSettings(flags: Flags, surroundings: Surroundings): Pick<StoreOptions, 'dataDir' | 'databaseUrl'> {
  const problems: ConfigProblem[] = []
  const databaseUrl = readDatabaseUrl(surroundings.environment, problems)
  if (problems.length > 0) throw configError('The environment', problems)
  return { dataDir: dataDirectory(flags, surroundings), ...(databaseUrl && { databaseUrl }) }
}

/** Options for opening the store. */
export function storeOptions({ config, dataDir, databaseUrl }: Settings): Omit<StoreOptions, 'onProblem'> {
  const { timeZone, fsync, retention, connections, partition } = config.store ?? {}
  return {
    dataDir,
    ...(databaseUrl && { databaseUrl }),
    ...(timeZone && { zone: timeZone }),
    ...(config.journal && { journal: config.journal }),
    ...(fsync && { fsync }),
    ...(retention && { retention }),
    ...(connections && { connections }),
    ...(partition && { partition }),
  }
}

/** Validated `DATABASE_URL`. It contains a password, so problems do not quote it. */
function readDatabaseUrl(environment: Environment, problems: ConfigProblem[]): string | undefined {
  const value = environment['DATABASE_URL'] || undefined
  if (value === undefined) return undefined
  const schema = z.url({ protocol: /^postgres(ql)?$/, error: 'a URL that begins with postgres:// or postgresql://' })
  const result = schema.safeParse(value)
  if (result.success) return result.data
  problems.push(...problemsOf(result.error, { schema, value, at: ['DATABASE_URL'], secret: () => true }))
  return undefined
}

/** Validated `HEADGATE_REDIS_URL`. It contains a password, so problems do not quote it. */
function readRedisUrl(environment: Environment, problems: ConfigProblem[]): string | undefined {
  const value = environment['HEADGATE_REDIS_URL'] || undefined
  const problem = value === undefined ? undefined : redisUrlProblem(value)
  if (problem === undefined) return value
  problems.push({ path: 'HEADGATE_REDIS_URL', message: problem })
  return undefined
}

/**
 * Reads and checks all settings.
 * @param unset collects unset variables if there are no other problems; default: they are an error.
 */
export async function loadSettings(
  flags: Flags,
  surroundings: Surroundings,
  unset?: ConfigProblem[],
): Promise<Settings> {
  const { folder, environment } = surroundings
  const named = flags.config || environment['HEADGATE_CONFIG']
  const file = named ? resolve(folder, named) : findConfigFile(folder)
  const { config, secretFiles } = file
    ? validConfig(file, await readConfigFile(file), environment, unset)
    : { config: {}, secretFiles: [] }
  const variables = readVariables(flags, environment)
  const workers = workerCount(variables.workers ?? config.server?.workers ?? 1)
  checkShares(file, config, workers)
  checkJournal(file, config, variables.databaseUrl)

  return {
    ...(file && { file, loaded: { checksum: checksumOf(file), at: Date.now(), secretFiles } }),
    config,
    port: variables.port ?? config.server?.port ?? 8787,
    host: variables.host ?? config.server?.host ?? '127.0.0.1',
    workers,
    dataDir: dataDirectory(flags, surroundings),
    ...(variables.databaseUrl && { databaseUrl: variables.databaseUrl }),
    ...(variables.redisUrl && { redisUrl: variables.redisUrl }),
    logLevel: variables.logLevel ?? config.log?.level ?? 'info',
    ...publicAddress(variables, config),
    ...telemetrySettings(telemetryVariables(config.telemetry, environment)),
    logExport: logSettings(telemetryVariables(config.telemetry, environment), config.telemetry?.accessLogs === true),
    keys: [...(config.keys ?? []).map((one) => (typeof one === 'string' ? { key: one } : one)), ...variables.keys],
  }
}

function telemetrySettings(
  variables: Environment,
): Required<Pick<Settings, 'traceExport' | 'metricExport' | 'conventions'>> {
  return {
    traceExport: traceSettings(variables),
    metricExport: metricSettings(variables),
    conventions: conventionsOf(variables),
  }
}

function publicAddress(
  { publicUrl: variable }: VariableSettings,
  { accounts }: Settings['config'],
): Pick<Settings, 'publicUrl'> {
  const address = variable ?? (accounts === false ? undefined : accounts?.publicUrl)
  return address === undefined ? {} : { publicUrl: address }
}

/** Validated configuration of a file. */
export function checkConfig(file: string, raw: unknown, environment: Environment): z.output<typeof configSchema> {
  return validConfig(file, raw, environment).config
}

function checksumOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

/** Validated configuration, and the secret files that it refers to. `unset`: see {@link loadSettings}. */
function validConfig(
  file: string,
  raw: unknown,
  environment: Environment,
  unset?: ConfigProblem[],
): Pick<Settings, 'config'> & Pick<LoadedFile, 'secretFiles'> {
  const { value, problems, files: secretFiles } = substitute(raw ?? {}, { environment, folder: dirname(file) })
  const result = configSchema.safeParse(value)
  if (result.success && unset) {
    unset.push(...problems)
    return { config: result.data, secretFiles }
  }
  if (!result.success)
    problems.push(...problemsOf(result.error, { schema: configSchema, value, gone: GONE, secret: isSecret }))
  if (problems.length > 0 || !result.success) throw configError(file, problems)
  return { config: result.data, secretFiles }
}

const MOST_WORKERS = 64
/** Fields of a key that errors can quote. */
const PLAIN_OF_KEYS: readonly unknown[] = ['budgets', 'limits', 'project']
/** Default of `limits.body` in bytes. */
const BODY = 32 * 1024 * 1024
/** Default of `limits.upload`. */
const UPLOAD = 512 * 1024 * 1024

function workerCount(workers: number | 'auto'): number {
  return workers === 'auto' ? Math.min(MOST_WORKERS, availableParallelism()) : workers
}

/**
 * Checks `limits.memory`, `limits.uploads` and `limits.keyUploads`. A key can use half of a worker's part of the memory: if no body fits into
 * it, large requests would never succeed.
 */
function checkShares(file: string | undefined, { limits = {} }: Settings['config'], workers: number): void {
  const { memory, body = BODY, upload = UPLOAD, uploads, keyUploads } = limits
  for (const [name, value] of Object.entries({ uploads, keyUploads }))
    if (file !== undefined && value !== undefined && value < upload * workers)
      throw configError(file, [
        {
          path: `limits.${name}`,
          message: `found ${value}; allowed: at least ${upload * workers}, which is \`limits.upload\` for each of ${workers} processes`,
        },
      ])
  const least = 2 * body * workers
  if (file === undefined || memory === undefined || memory >= least) return
  const message = `found ${memory}; allowed: at least ${least}, which is twice \`limits.body\` for each of ${workers} processes`
  throw configError(file, [{ path: 'limits.memory', message }])
}

/** Checks `journal`: rows can wait for a Postgres database only. */
function checkJournal(
  file: string | undefined,
  { journal }: Settings['config'],
  databaseUrl: string | undefined,
): void {
  if (file === undefined || journal !== 'postgres' || databaseUrl !== undefined) return
  const message = 'found "postgres"; allowed without DATABASE_URL: "disk"'
  throw configError(file, [{ path: 'journal', message }])
}

/** True for secret fields: keys, adapter configuration, alert URLs and secrets, and credentials of sign-in and mail. */
function isSecret([part, inner, field, last]: readonly PropertyKey[]): boolean {
  if (part === 'accounts') return field === 'password' || last === 'clientSecret'
  if (part === 'search') return inner === 'backends' || inner === 'engines'
  if (part === 'telemetry') return inner === 'headers'
  if (part === 'audit') return last === 'secret' || last === 'url' || last === 'headers'
  if (part === 'sinks') return field !== 'maxBacklog' && field !== 'enabled' && field !== 'adapter'
  if (part === 'keys') return !PLAIN_OF_KEYS.includes(field)
  return part === 'providers' || (part === 'budgets' && inner === 'alerts')
}

interface VariableSettings {
  readonly databaseUrl?: string | undefined
  readonly redisUrl?: string | undefined
  readonly port?: number
  readonly host?: string
  readonly workers?: number | 'auto'
  readonly logLevel?: LogLevel
  readonly publicUrl?: string
  readonly keys: readonly KeyConfig[]
}

const serverShape = configSchema.shape.server.unwrap().shape
const levelShape = configSchema.shape.log.unwrap().shape.level.unwrap()
const keyShape = configSchema.shape.keys.unwrap().element.options[0]

/** Values of flags and environment variables. An empty variable counts as absent. */
function readVariables(flags: Flags, environment: Environment): VariableSettings {
  const problems: ConfigProblem[] = []

  const check = <T>(name: string, schema: z.ZodType<T>, value: unknown, secret = false): T | undefined => {
    const result = schema.safeParse(value)
    if (result.success) return result.data
    problems.push(...problemsOf(result.error, { schema, value, at: [name], secret: () => secret }))
    return undefined
  }
  const one = <T>(flag: string, given: string | undefined, variable: string, schema: z.ZodType<T>): T | undefined => {
    const value = given ?? (environment[variable] || undefined)
    return value === undefined ? undefined : check(given === undefined ? variable : `--${flag}`, schema, value)
  }

  const port = one('port', flags.port, 'PORT', z.preprocess(wholeNumber, serverShape.port.unwrap()))
  const host = one('host', flags.host, 'HOST', serverShape.host.unwrap())
  const workers = one(
    'workers',
    flags.workers,
    'HEADGATE_WORKERS',
    z.preprocess(wholeNumber, serverShape.workers.unwrap()),
  )
  const logLevel = one('log-level', flags.logLevel, 'LOG_LEVEL', levelShape)
  const address = one('', undefined, 'HEADGATE_PUBLIC_URL', publicUrl)
  const databaseUrl = readDatabaseUrl(environment, problems)
  const redisUrl = readRedisUrl(environment, problems)
  const keys = listed(environment['HEADGATE_API_KEYS']).flatMap(
    (value) => check('HEADGATE_API_KEYS', keyShape, value, true) ?? [],
  )

  if (problems.length > 0) throw configError('The environment or command line', problems)
  return {
    ...(databaseUrl && { databaseUrl }),
    ...(redisUrl && { redisUrl }),
    ...(port !== undefined && { port }),
    ...(host && { host }),
    ...(workers !== undefined && { workers }),
    ...(logLevel && { logLevel }),
    ...(address && { publicUrl: address }),
    keys: keys.map((key) => ({ key })),
  }
}

function wholeNumber(text: unknown): unknown {
  return typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : text
}

function listed(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}
