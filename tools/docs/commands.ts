import { runCommandLine } from '../../apps/server/src/commands/line.ts'
import { fence } from './markdown.ts'

const COMMANDS = [[], ['start'], ['keys', 'create'], ['budgets', 'set'], ['usage']]

/** Help of the program and of its most used commands. */
export async function commands(): Promise<string> {
  const texts = await Promise.all(COMMANDS.map((words) => say([...words, '--help'])))
  return fence(
    'text',
    texts.map((text, index) => `$ ${['headgate', ...(COMMANDS[index] ?? []), '--help'].join(' ')}\n${text}`).join('\n'),
  )
}

async function say(args: readonly string[]): Promise<string> {
  const said: string[] = []
  const write = (text: string): void => void said.push(text)
  await runCommandLine({ args, folder: import.meta.dirname, environment: {}, print: write, note: write })
  return said.join('')
}
