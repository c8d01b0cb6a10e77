/** What one check found. */
export interface Finding {
  /** `note`: it works, and someone should know. */
  readonly state: 'ok' | 'note' | 'wrong'
  /**
   * What was checked: `config`, `data`, `clock`, or the name of a provider, `search` with that of a backend or engine.
   */
  readonly about: string
  readonly text: string
  /** What to do. */
  readonly advice?: string
}

/** A finding a line, what to do below it. */
export function findingsText(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ about }) => about.length))
  const indent = ' '.repeat('wrong'.length + width + 4)
  const lines = findings.flatMap(({ state, about, text, advice }) => {
    const [first = '', ...more] = [...text.split('\n'), ...(advice?.split('\n').map((line) => `→ ${line}`) ?? [])]
    return [`${state.padEnd('wrong'.length)}  ${about.padEnd(width)}  ${first}`, ...more.map((line) => indent + line)]
  })
  return `${lines.join('\n')}\n`
}
