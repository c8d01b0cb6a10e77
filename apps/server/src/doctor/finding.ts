/** Result of one check. */
export interface DoctorFinding {
  /** State. `note`: it works, but needs attention. */
  readonly state: 'ok' | 'note' | 'wrong'
  /**
   * Subject of the check: `config`, `data`, `redis`, `clock`, the name of a provider, `<provider>/<endpoint>` if it has
   * several, or `search` and the name of a backend or engine.
   */
  readonly about: string
  readonly text: string
  /** Suggested fix. */
  readonly advice?: string
}

/** Text with one line per finding, followed by its advice. */
export function findingsText(findings: readonly DoctorFinding[]): string {
  const width = Math.max(...findings.map(({ about }) => about.length))
  const indent = ' '.repeat('wrong'.length + width + 4)
  const lines = findings.flatMap(({ state, about, text, advice }) => {
    const [first = '', ...more] = [...text.split('\n'), ...(advice?.split('\n').map((line) => `→ ${line}`) ?? [])]
    return [`${state.padEnd('wrong'.length)}  ${about.padEnd(width)}  ${first}`, ...more.map((line) => indent + line)]
  })
  return `${lines.join('\n')}\n`
}
