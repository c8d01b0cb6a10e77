import { HeadgateError } from '@headgate/gateway/ports'
import { openMode, readOrCreate, secretFile } from './file.ts'
import { createSecret, type Secret } from './secret.ts'

type SecretEnvironment = Readonly<Record<string, string | undefined>>

/** Source of the gateway's secret. */
export type SecretSource =
  | { readonly from: 'environment'; readonly text: string }
  /** File in the data directory, created by the first start. */
  | { readonly from: 'file'; readonly file: string }
  /** Missing: several nodes share a database, so none may create a secret for itself. */
  | { readonly from: 'nowhere' }

export const SECRET_VARIABLE = 'HEADGATE_SECRET'

/** Message for a missing secret. */
export const SECRET_NEEDED = `With DATABASE_URL, ${SECRET_VARIABLE} is required, with the same value for every process that shares the database.`
export const SECRET_ADVICE = `Create one with \`openssl rand -base64 32\`, store it, and set ${SECRET_VARIABLE} to it.`

/** Finds the source of the secret. An empty variable counts as absent. */
export function secretSource(environment: SecretEnvironment, dataDir: string): SecretSource {
  const text = environment[SECRET_VARIABLE]
  if (text) return { from: 'environment', text }
  return environment['DATABASE_URL'] ? { from: 'nowhere' } : { from: 'file', file: secretFile(dataDir) }
}

/** Reads the gateway's secret, or creates it in the data directory. @throws HeadgateError, which never reveals it */
export function findSecret(environment: SecretEnvironment, dataDir: string): Secret {
  const { text, where } = findText(environment, dataDir)
  return parseSecret(text, where)
}

/** Warning for a secret that other users of the machine can read; empty without one. */
export function secretWarnings(environment: SecretEnvironment, dataDir: string): string[] {
  const source = secretSource(environment, dataDir)
  const mode = source.from === 'file' ? openMode(source.file) : undefined
  if (source.from !== 'file' || mode === undefined) return []
  return [
    `Other users of this machine can read the secret ${source.file} (mode ${mode}). Run: chmod 600 ${source.file}`,
  ]
}

/** Text of the secret, for a separate thread. @throws HeadgateError, which never reveals it */
export function findSecretText(environment: SecretEnvironment, dataDir: string): string {
  const { text, where } = findText(environment, dataDir)
  parseSecret(text, where)
  return text
}

function findText(environment: SecretEnvironment, dataDir: string): { readonly text: string; readonly where: string } {
  const source = secretSource(environment, dataDir)
  if (source.from === 'nowhere')
    throw new HeadgateError('invalid-request', `${SECRET_NEEDED} ${SECRET_ADVICE}`, { param: SECRET_VARIABLE })
  if (source.from === 'environment') return { text: source.text, where: `${SECRET_VARIABLE}: ` }
  return { text: textOf(source.file), where: `${source.file}: ` }
}

/** Parses a secret. @throws HeadgateError with the source of the secret and the reason */
export function parseSecret(text: string, where: string): Secret {
  try {
    return createSecret(text)
  } catch (error) {
    if (!HeadgateError.is(error)) throw error
    throw new HeadgateError(
      'invalid-request',
      `${where}${error.message} ${SECRET_VARIABLE} or the file \`secret\` must contain one secret, or \`new,old\`.`,
    )
  }
}

function textOf(file: string): string {
  try {
    return readOrCreate(file)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new HeadgateError(
      'invalid-request',
      `The secret ${file} cannot be read or created: ${reason}. Set ${SECRET_VARIABLE}, or choose another folder with --data-dir or HEADGATE_DATA_DIR.`,
    )
  }
}
