import { describe, expect, it } from 'vitest'
import { ENTRIES } from '../../e2e/clients/entries.ts'
import { PASSED, type Result, readResults, UNSIGNED } from '../../e2e/clients/results.ts'
import { agentRows, libraryRows } from '../docs/clients.ts'

const tried = (behind: Result['behind'], packages: Result['packages'] = { acme: '1.2.3' }): Result => ({
  date: '2026-01-02',
  format: 'chat-completions',
  packages,
  behind,
})

describe('the table of clients', () => {
  it('says what a library was asked and with which models it did not work', () => {
    const result = tried({
      messages: { answer: PASSED, stream: PASSED, tool: PASSED },
      'generate-content': { answer: PASSED, stream: 'got ""', tool: UNSIGNED },
    })
    expect(libraryRows({ acme: result })).toEqual([
      [
        'acme',
        '1.2.3',
        '2026-01-02',
        '`chat-completions`',
        'yes',
        'not from `generate-content`',
        'yes ¹',
        '–',
        '–',
        '–',
      ],
    ])
  })

  it('has the versions of all packages that a client is called by', () => {
    const result = tried({ messages: { answer: PASSED } }, { '@acme/openai': '2.0.0', acme: '1.2.3', zod: '4.0.0' })
    const [row] = libraryRows({ 'acme 1 with @acme/openai': result })
    expect(row?.[1]).toBe('`@acme/openai` 2.0.0, `acme` 1.2.3')
  })

  it('says of an agent behind which formats it did its task, and had the web searched', () => {
    const result = tried({
      messages: { task: PASSED },
      'generate-content': { task: UNSIGNED },
      'chat-completions': { task: 'it ended', search: PASSED },
    })
    expect(agentRows({ Acme: result })).toEqual([
      [
        'Acme',
        '1.2.3',
        '2026-01-02',
        '`chat-completions`',
        '`messages`, `generate-content` ¹, not `chat-completions`',
        '`chat-completions`',
      ],
    ])
  })

  it('has what came of every client that is tried, and of no other', () => {
    const names = Object.entries(readResults()).flatMap(([kind, results]) =>
      Object.keys(results).map((name) => `${kind}: ${name}`),
    )
    expect(names).toEqual(
      ['python', 'javascript', 'java', 'runtimes', 'agents'].flatMap((kind) =>
        ENTRIES.filter((entry) => entry.kind === kind).map(({ name }) => `${kind}: ${name}`),
      ),
    )
  })
})
