const WILDCARDS: Readonly<Record<string, string>> = { '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*', '?': '[^/]' }

/** The paths, written with slashes, that a pattern of `*`, `**`, `?` and `{a,b}` stands for. */
export function globPattern(glob: string): RegExp {
  let depth = 0
  const source = glob.replace(/\*\*\/|\*\*|[*?]|[{},]|[.+^$()|[\]\\]/g, (mark) => {
    if (mark === '{' && depth++ >= 0) return '(?:'
    if (mark === '}' && depth > 0 && depth-- > 0) return ')'
    if (mark === ',') return depth > 0 ? '|' : ','
    return WILDCARDS[mark] ?? `\\${mark}`
  })
  return new RegExp(`^${source}${')'.repeat(depth)}$`, 'u')
}
