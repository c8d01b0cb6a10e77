import { existsSync, readFileSync } from 'node:fs'
import { HeadgateError } from '@headgate/gateway'
import {
  openMode,
  parseSecret,
  SECRET_ADVICE,
  SECRET_NEEDED,
  SECRET_VARIABLE,
  secretFile,
  secretSource,
} from '@headgate/store'
import type { Environment } from '../config/substitution.ts'
import type { DoctorFinding } from './finding.ts'

/** Checks the source and permissions of the secret. Never shows it, and leaves no files behind. */
export function checkSecret(environment: Environment, dataDir: string): DoctorFinding {
  const source = secretSource(environment, dataDir)
  switch (source.from) {
    case 'nowhere':
      return finding('wrong', SECRET_NEEDED, SECRET_ADVICE)
    case 'environment':
      return problemOf(source.text, SECRET_VARIABLE) ?? fromEnvironment(secretFile(dataDir))
    case 'file':
      return existsSync(source.file)
        ? checkFile(source.file)
        : finding('ok', `${source.file} will be created at the first start`)
  }
}

function finding(state: DoctorFinding['state'], text: string, advice?: string): DoctorFinding {
  return { state, about: 'secret', text, ...(advice && { advice }) }
}

function fromEnvironment(file: string): DoctorFinding {
  const text = `comes from ${SECRET_VARIABLE}`
  if (!existsSync(file)) return finding('ok', text)
  return finding(
    'note',
    `${text}; ${file} is not used`,
    `To read data encrypted with it, add its value to ${SECRET_VARIABLE} as an older one: \`new,old\`.`,
  )
}

function checkFile(file: string): DoctorFinding {
  const problem = problemOf(contentOf(file), file)
  if (problem) return problem
  const mode = openMode(file)
  if (mode !== undefined)
    return finding('wrong', `other users of this machine can read ${file} (mode ${mode})`, `Run: chmod 600 ${file}`)
  return finding('ok', `comes from ${file}`)
}

/** Content of the file; undefined if it cannot be read. */
function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

function problemOf(text: string | undefined, where: string): DoctorFinding | undefined {
  if (text === undefined)
    return finding(
      'wrong',
      `${where} cannot be read`,
      `Make the user that runs headgate its owner, or set ${SECRET_VARIABLE}.`,
    )
  try {
    parseSecret(text, `${where}: `)
    return undefined
  } catch (error) {
    if (!HeadgateError.is(error)) throw error
    return finding('wrong', error.message, SECRET_ADVICE)
  }
}
