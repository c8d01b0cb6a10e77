import { HeadgateError } from '@headgate/gateway/ports'
import { openMode, readOrMake, secretFile } from './file.ts'
import { createSecret, type Secret } from './secret.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Where the secret of the program comes from. */
export type SecretSource =
  | { readonly from: 'environment'; readonly text: string }
  /** One of the data directory, which the first start makes. */
  | { readonly from: 'file'; readonly file: string }
  /** Several nodes share a database, and none may make one for itself. */
  | { readonly from: 'nowhere' }

export const SECRET_VARIABLE = 'HEADGATE_SECRET'

/** What is said where the secret has to be given. */
export const SECRET_NEEDED = `With DATABASE_URL ${SECRET_VARIABLE} is needed, the same for every process that shares the database.`
export const SECRET_ADVICE = `Make one with \`openssl rand -base64 32\`, keep it, and set ${SECRET_VARIABLE} to it.`

/** An empty variable counts as absent. */
export function secretSource(environment: Environment, dataDir: string): SecretSource {
  const text = environment[SECRET_VARIABLE]
  if (text) return { from: 'environment', text }
  return environment['DATABASE_URL'] ? { from: 'nowhere' } : { from: 'file', file: secretFile(dataDir) }
}

/**
 * The secret of the program; makes it in the data directory where nobody gives one. @throws HeadgateError, which never
 * shows it.
 */
export function findSecret(environment: Environment, dataDir: string): Secret {
  const { text, where } = findText(environment, dataDir)
  return parseSecret(text, where)
}

/** Warning for a secret that other users of the machine can read; empty without one. */
export function secretWarnings(environment: Environment, dataDir: string): string[] {
  const source = secretSource(environment, dataDir)
  const mode = source.from === 'file' ? openMode(source.file) : undefined
  if (source.from !== 'file' || mode === undefined) return []
  return [
    `Other users of this machine can read the secret ${source.file} (mode ${mode}). Run: chmod 600 ${source.file}`,
  ]
}

/** The same as it is written, for a thread of its own. @throws HeadgateError, which never shows it. */
export function findSecretText(environment: Environment, dataDir: string): string {
  const { text, where } = findText(environment, dataDir)
  parseSecret(text, where)
  return text
}

function findText(environment: Environment, dataDir: string): { readonly text: string; readonly where: string } {
  const source = secretSource(environment, dataDir)
  if (source.from === 'nowhere')
    throw new HeadgateError('invalid-request', `${SECRET_NEEDED} ${SECRET_ADVICE}`, { param: SECRET_VARIABLE })
  if (source.from === 'environment') return { text: source.text, where: `${SECRET_VARIABLE}: ` }
  return { text: textOf(source.file), where: `${source.file}: ` }
}

/** @throws HeadgateError that says where the secret comes from and what is wrong with it. */
export function parseSecret(text: string, where: string): Secret {
  try {
    return createSecret(text)
  } catch (error) {
    if (!HeadgateError.is(error)) throw error
    throw new HeadgateError(
      'invalid-request',
      `${where}${error.message} ${SECRET_VARIABLE} or the file \`secret\` holds one, or \`new,old\`.`,
    )
  }
}

function textOf(file: string): string {
  try {
    return readOrMake(file)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new HeadgateError(
      'invalid-request',
      `The secret ${file} can not be read or made: ${reason}. Set ${SECRET_VARIABLE}, or choose another folder with --data-dir or HEADGATE_DATA_DIR.`,
    )
  }
}
