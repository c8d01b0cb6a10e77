import type { Command, Option } from './command.ts'

/** Help text of the program. */
export function helpText(commands: readonly Command[]): string {
  const rows = commands.map(
    ({ name, words, summary }) => [['headgate', name, words].filter(Boolean).join(' '), summary] as const,
  )
  return `One gateway in front of every model.\n\n${columns(rows)}\n\`headgate <command> --help\` lists the flags of a command; \`headgate --version\` prints the version.\n`
}

/** Help text of a command. */
export function commandHelp({ name, words, summary, options }: Command): string {
  const rows = Object.entries(options).map(([flag, option]) => [flagText(flag, option), option.help] as const)
  const usage = ['headgate', name, words, rows.length > 0 && '[flags]'].filter(Boolean).join(' ')
  return `${usage}\n\n${capital(summary)}.\n${rows.length > 0 ? `\n${columns(rows)}` : ''}`
}

function flagText(flag: string, { value }: Option): string {
  return value ? `--${flag} <${value}>` : `--${flag}`
}

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join('')
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
