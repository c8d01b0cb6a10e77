import { existsSync, writeFileSync } from 'node:fs'
import { basename, extname, resolve } from 'node:path'
import { HeadgateError } from '@headgate/gateway/ports'
import type { Needed } from '../litellm/variables.ts'
import { type Command, type CommandContext, usageError } from './command.ts'

const OUT = 'headgate.config.yaml'

export const importLiteLLM: Command = {
  name: 'import litellm',
  words: '<config.yaml>',
  summary: "writes the configuration that does what LiteLLM's does, and says what has no equal",
  options: {
    out: { type: 'string', value: 'file', help: `the file, .yaml or .json, which must not be there yet (${OUT})` },
    print: {
      type: 'boolean',
      help: 'print the configuration instead of writing it; the report goes to standard error',
    },
  },
  async run(context) {
    const [path, ...more] = context.words
    if (path === undefined || more.length > 0)
      throw usageError("import litellm takes one file: that of LiteLLM's proxy, such as config.yaml.")
    const isPrinted = context.values['print'] === true
    const out = isPrinted ? undefined : await freeFile(context)
    const { translation, remarksText } = await translate(resolve(context.folder, path), context)
    const { config, needed, remarks } = translation
    const providers = Object.keys(config.providers ?? {})
    const report = `${neededText(needed, basename(path))}${remarksText(remarks)}`
    if (providers.length === 0) {
      context.note(report)
      throw new HeadgateError('invalid-request', `Nothing of ${path} can be served: nothing is written.`)
    }
    const text = await textOf(config, extname(out ?? OUT))
    if (out === undefined) {
      context.print(text)
      return context.note(report)
    }
    writeFileSync(out, text, { flag: 'wx' })
    const names = Object.keys(config.models ?? {}).length
    const found = `${names} ${names === 1 ? 'alias' : 'aliases'}, providers: ${providers.join(', ')}`
    const next = basename(out).startsWith('headgate.config.') ? '' : ` --config ${out}`
    context.print(
      `${out} is written: ${found}.\n${report}\nNext: \`headgate config check${next}\`, then \`headgate${next && ` start${next}`}\`.\n`,
    )
  },
}

async function translate(path: string, context: CommandContext) {
  const [{ loadProviders }, { readLiteLLMFile }, { translateLiteLLM }, { remarksText }, { programFolder }] =
    await Promise.all([
      import('@headgate/discovery'),
      import('../litellm/file.ts'),
      import('../litellm/translation.ts'),
      import('../litellm/remark.ts'),
      import('../program.ts'),
    ])
  const file = await readLiteLLMFile(path)
  const { folder, environment } = context
  const adapters = await loadProviders({ folder, environment, program: programFolder })
  return { translation: translateLiteLLM(file, { adapters, environment }), remarksText }
}

/** Where the configuration goes; nothing that is there is written over, and no second one is put beside one. */
async function freeFile({ values, folder }: CommandContext): Promise<string> {
  const given = values['out']
  const out = resolve(folder, typeof given === 'string' && given !== '' ? given : OUT)
  if (!['.yaml', '.json'].includes(extname(out)))
    throw usageError(`--out: found ${JSON.stringify(basename(out))}; allowed: a name that ends in .yaml or .json`)
  const { findConfigFile } = await import('../config/file.ts')
  const other = given === undefined ? findConfigFile(folder) : undefined
  const there = other ?? (existsSync(out) ? out : undefined)
  if (there)
    throw usageError(
      `${there} is there already: name another file with --out, or look at what would be written with --print`,
    )
  return out
}

async function textOf(config: object, ending: string): Promise<string> {
  if (ending === '.json') return `${JSON.stringify(config, null, 2)}\n`
  const { stringify } = await import('yaml')
  return stringify(config, { lineWidth: 0, aliasDuplicateObjects: false })
}

function neededText(needed: readonly Needed[], file: string): string {
  if (needed.length === 0) return ''
  const lines = needed.map(({ name, at, file: key }) => {
    if (key !== undefined) return `  ${name}: the text of the file that ${key} names\n`
    return `  ${name}${at === undefined ? '' : `: its value stands in ${file}, at ${at}`}\n`
  })
  return `\nSet in the environment:\n${lines.join('')}`
}
